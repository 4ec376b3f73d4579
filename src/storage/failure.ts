/**
 * What can go wrong in storage, the same for both engines, so that no caller needs to know which one it runs on.
 * `target` is `table.column` of the unique constraint that was violated, where the engine names it.
 */
export type FailureKind = 'duplicate' | 'missing_reference' | 'unavailable' | 'unwritable'

export class StorageFailure extends Error {
  readonly kind: FailureKind
  readonly target: string | undefined

  constructor(kind: FailureKind, cause: unknown, target?: string) {
    super(kind, { cause })
    this.kind = kind
    this.target = target
  }
}

/** Enough to know which one it is. It has placeholders instead of values. */
const SHOWN_CHARACTERS = 100

/**
 * A statement that was skipped, because another one before it has failed: `cause` is the failure of that one. Nothing of
 * this one was done. Whoever only runs statements together takes it for that failure.
 */
export class SkippedStatement extends Error {
  constructor(statement: string, cause: unknown) {
    super(`A statement before this one failed: ${statement.slice(0, SHOWN_CHARACTERS)}`, { cause })
  }
}

/** The failure itself, also of a statement that was skipped because of it. */
export const originOf = (error: unknown): unknown => (error instanceof SkippedStatement ? error.cause : error)

const hasKind = (error: unknown, ...kinds: FailureKind[]): boolean => {
  const origin = originOf(error)
  return origin instanceof StorageFailure && kinds.includes(origin.kind)
}

/** True when a unique constraint was violated; with `target`, only when it was that one (`users.email`). */
export function isDuplicate(error: unknown, target?: string): boolean {
  const origin = originOf(error)
  return hasKind(origin, 'duplicate') && (target === undefined || (origin as StorageFailure).target === target)
}

export const isMissingReference = (error: unknown): boolean => hasKind(error, 'missing_reference')

export const isUnavailable = (error: unknown): boolean => hasKind(error, 'unavailable', 'unwritable')

/** The database can't be written at the moment, as with a full disk, but may be readable. */
export const isUnwritable = (error: unknown): boolean => hasKind(error, 'unwritable')
