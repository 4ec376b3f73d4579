import pg from 'pg'
import { isUnavailable, originOf, StorageFailure } from '../failure.ts'

/*
 * Errors are recognised by their SQLSTATE (PostgreSQL manual, appendix A). The server's words, the severity included, are in the
 * language that it is set to.
 */

const UNIQUE_VIOLATION = '23505'
const FOREIGN_KEY_VIOLATION = '23503'
/** The server ended one of two transactions that waited for each other. */
const DEADLOCK = /^40P01$/
/** The session can't write: the server is a standby, or was made read-only. */
export const READ_ONLY = '25006'
/**
 * Connection, resource, operator intervention, system and transaction-rollback classes, a lock that was not granted in
 * time, and a transaction that stayed idle for too long: a retry may work.
 */
const UNAVAILABLE = /^(08|53|57|58|40|55P03|25P03|25P04)/
/** Those of them that end a statement or a transaction and leave the session usable. */
const SESSION_STAYS_USABLE = /^(55P03|57014|40)/
/** The server ends the session with these, which it calls fatal. */
const ENDS_SESSION = /^(08|57P|25P03|25P04)/
/** A full disk, or a session that can't write. */
const UNWRITABLE = /^(53100|25006)$/
const LOCK_NOT_GRANTED = /^55P03$/
/** The same, or a statement that was not finished within the limits of the session. */
const OUT_OF_TIME = /^(55P03|57014)$/
/** The columns of a prepared statement have changed, or the server does not know it. */
const STALE = /^(0A000|26000)$/
/** What the driver says when it has waited for as long as `query_timeout`. */
const NO_ANSWER = 'Query read timeout'

type ServerError = pg.DatabaseError & { code: string }

/** Whether the server has said it. The driver makes such an error too, without a code, of a message that it does not know. */
const isOfServer = (error: unknown): error is ServerError =>
  error instanceof pg.DatabaseError && error.code !== undefined

/** What the server said, in an error that was translated or not. */
function causeOf(error: unknown): unknown {
  const origin = originOf(error)
  return origin instanceof StorageFailure ? origin.cause : origin
}

const hasCode = (error: unknown, codes: RegExp): boolean => {
  const cause = causeOf(error)
  return isOfServer(cause) && codes.test(cause.code)
}

/**
 * For what connecting, or a statement on a connection, fails with. All errors but the server's are the driver's: the connection is lost,
 * or was never made.
 */
export const unlessOfServer = (error: unknown): unknown =>
  isOfServer(error) || error instanceof StorageFailure ? error : new StorageFailure('unavailable', error)

export function translate(error: unknown): unknown {
  if (!isOfServer(error)) return error
  if (error.code === UNIQUE_VIOLATION) return new StorageFailure('duplicate', error, targetOf(error))
  if (error.code === FOREIGN_KEY_VIOLATION) return new StorageFailure('missing_reference', error)
  if (UNWRITABLE.test(error.code)) return new StorageFailure('unwritable', error)
  return UNAVAILABLE.test(error.code) ? new StorageFailure('unavailable', error) : error
}

export function rethrow(error: unknown): never {
  // The driver has made it while it read the server's answer, which says nothing about who asked.
  if (error instanceof Error) Error.captureStackTrace(error, rethrow)
  throw translate(error)
}

/** Whether the connection can't be used after this error. */
export const isBroken = (error: unknown): boolean =>
  isUnavailable(translate(error)) && !hasCode(error, SESSION_STAYS_USABLE)

/**
 * What an error means for the statements that were sent. `refused`: the server has done none of what it did not answer with success. `lost`:
 * nobody knows what it has done. `unanswered`: it may still be working on them.
 */
export type Fate = 'refused' | 'lost' | 'unanswered'

export function fateOf(error: unknown): Fate {
  const cause = causeOf(error)
  if (isOfServer(cause)) return hasCode(cause, ENDS_SESSION) ? 'lost' : 'refused'
  return cause instanceof Error && cause.message === NO_ANSWER ? 'unanswered' : 'lost'
}

export const isReadOnly = (error: unknown): boolean => isOfServer(error) && error.code === READ_ONLY

/** Whether the server ended the statement for waiting too long. Nothing of it was done. */
export const isLockWait = (error: unknown): boolean => hasCode(error, LOCK_NOT_GRANTED)

/** Whether the server ended the statement for waiting, or taking, too long. Nothing of it was done. */
export const isOutOfTime = (error: unknown): boolean => hasCode(error, OUT_OF_TIME)

/** Whether a statement has to be prepared again. Nothing of it was done. */
export const isStale = (error: unknown): boolean => hasCode(error, STALE)

/** Whether the work of a transaction that was undone by this error may run again: at once, or after a pause. */
export function isRepeatable(error: unknown): false | 'at once' | 'after a pause' {
  if (isStale(error)) return 'at once'
  return hasCode(error, DEADLOCK) && 'after a pause'
}

/** From the constraint's name, since the message is in the server's language: `users_email_key` stands for `users.email`. */
function targetOf({ table = '', constraint = '' }: pg.DatabaseError): string {
  return `${table}.${constraint.replace(`${table}_`, '').replace(/_key$/, '')}`
}
