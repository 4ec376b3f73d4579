import { AppError, StartError } from './errors.ts'
import { isUnavailable } from './storage/failure.ts'

/**
 * Why the service did not start, or a command was not carried out, for standard error. What a person can do something about
 * is one line; anything else is for whoever mends the program.
 */
export function describeFailure(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  if (isUnavailable(error)) return 'The database does not answer just now, or can’t be written. Please try again.'
  const isExpected = error instanceof StartError || error instanceof AppError
  const isOfSystem = 'syscall' in error || ('code' in error && error.code === 'ERR_SQLITE_ERROR')
  return isExpected || isOfSystem ? error.message : (error.stack ?? error.message)
}
