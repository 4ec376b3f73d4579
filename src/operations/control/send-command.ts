import { connect } from 'node:net'
import { StartError } from '../../errors.ts'
import { sqliteFileOf } from '../../storage/database-url.ts'
import { codeOf } from '../../storage/durable-files.ts'
import type { Command } from './commands.ts'

/**
 * On SQLite one process holds the file, so commands go through it: it listens on a socket beside the file. The process that
 * holds the file's lock owns the socket. On PostgreSQL a command opens the database itself, and there is no socket.
 */
export function controlSocketOf(databaseUrl: string): string | undefined {
  const file = sqliteFileOf(databaseUrl)
  return file === undefined ? undefined : `${file}.sock`
}

/** The operating system has 104 bytes or a few more for the path (sun_path), of which the last one is zero. */
const MAX_PATH_BYTES = 103

export const isTooLong = (socket: string): boolean => Buffer.byteLength(socket) > MAX_PATH_BYTES

/** One line of JSON in each direction, then the connection ends. The names of the fields are the same in all versions. */
export interface Answer {
  said?: string
  refused?: string
}

/** Longer than the transactions of a command can take, with all that they wait for. */
const TIMEOUT_MS = 30_000

/** Sends a command to the service that runs on this file; undefined when none does. */
export async function sendCommand(
  databaseUrl: string,
  command: Command,
  timeoutMs: number = TIMEOUT_MS,
): Promise<Answer | undefined> {
  const socket = controlSocketOf(databaseUrl)
  if (socket === undefined || isTooLong(socket)) return undefined
  let text = ''
  try {
    const connection = connect(socket)
    connection.setEncoding('utf8')
    connection.setTimeout(timeoutMs, () =>
      connection.destroy(new Error(`it did not answer within ${timeoutMs / 1000} seconds`)),
    )
    connection.write(`${JSON.stringify(command)}\n`)
    for await (const chunk of connection) text += chunk as string
  } catch (error) {
    const code = codeOf(error)
    // No such socket, or one that a dead process left behind.
    if (text === '' && (code === 'ENOENT' || code === 'ECONNREFUSED')) return undefined
    throw new StartError(`The running service can't be reached: ${(error as Error).message}.`)
  }
  // An answer is one line. Without the line break the service was stopped before the end; its log says what it did.
  if (!text.endsWith('\n'))
    throw new StartError('The running service ended the connection before its answer was whole.')
  return JSON.parse(text) as Answer
}
