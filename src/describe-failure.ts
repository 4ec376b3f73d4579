import { AppError, StartError } from './errors.ts'
import { isUnavailable } from './storage/failure.ts'

/**
 * Why the service did not start, or a command failed, for standard error. An expected failure is one line; anything else is
 * a fault in the program and comes with its stack.
 */
export function describeFailure(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  if (isUnavailable(error)) return 'The database is unavailable, or can’t be written. Please try again.'
  const isExpected = error instanceof StartError || error instanceof AppError
  const isOfSystem = 'syscall' in error || ('code' in error && error.code === 'ERR_SQLITE_ERROR')
  return isExpected || isOfSystem ? error.message : (error.stack ?? error.message)
}

/** On standard error, apart from the log. */
export function printError(text: string): void {
  process.stderr.write(`latchkey: ${text}\n`)
}
