/**
 * What can go wrong in storage, told the same way by both engines, so that no source asks which one it runs on.
 * `target` is `table.column` of the rule that was broken, where the engine names it.
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

/** True when a unique rule was broken; with `target`, only when it was that one (`users.email`). */
export const isDuplicate = (error: unknown, target?: string): boolean =>
  error instanceof StorageFailure && error.kind === 'duplicate' && (target === undefined || error.target === target)

export const isMissingReference = (error: unknown): boolean =>
  error instanceof StorageFailure && error.kind === 'missing_reference'

export const isUnavailable = (error: unknown): boolean =>
  error instanceof StorageFailure && (error.kind === 'unavailable' || error.kind === 'unwritable')

/** It said at once that it can't be written, as on a full disk; it may well be read. */
export const isUnwritable = (error: unknown): boolean => error instanceof StorageFailure && error.kind === 'unwritable'
