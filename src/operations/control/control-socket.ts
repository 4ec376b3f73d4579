import { sqliteFileOf } from '../../storage/database-url.ts'

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
