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

/** True when a unique constraint was violated; with `target`, only when it was that one (`users.email`). */
export const isDuplicate = (error: unknown, target?: string): boolean =>
  error instanceof StorageFailure && error.kind === 'duplicate' && (target === undefined || error.target === target)

export const isMissingReference = (error: unknown): boolean =>
  error instanceof StorageFailure && error.kind === 'missing_reference'

export const isUnavailable = (error: unknown): boolean =>
  error instanceof StorageFailure && (error.kind === 'unavailable' || error.kind === 'unwritable')

/** The database can't be written at the moment, as with a full disk, but may be readable. */
export const isUnwritable = (error: unknown): boolean => error instanceof StorageFailure && error.kind === 'unwritable'
