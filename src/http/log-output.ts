import { writeSync } from 'node:fs'
import type { DestinationStream } from 'pino'

/** Where log lines go. Pino calls `flushSync` after a fatal one. */
export interface LogOutput extends DestinationStream {
  flushSync(): void
}

/** What a slow reader or a full disk keeps waiting. Lines beyond that are dropped. */
const MAX_WAITING_BYTES = 1024 * 1024
const RETRY_MS = 50
/** The reader is slow, or there is no room at the moment. After any other failure nobody will read it any more. */
const RETRIED = new Set(['EAGAIN', 'ENOSPC', 'EDQUOT'])

/**
 * Writes log lines, those of one turn of the event loop together. A log that can't be written never holds up or ends the
 * service: lines are dropped, and `onLost` is called the first time. Pino's own destination repeats a failed write for ever
 * when it is told to flush, so that a process whose standard output was closed could not end.
 */
export function createLogOutput(fd: number, onLost: (code: string) => void): LogOutput {
  let lines: string[] = []
  let unwritten: Buffer = Buffer.alloc(0)
  let size = 0
  let isPlanned = false
  let isClosed = false
  let lose = (code: string): void => {
    lose = () => {}
    onLost(code)
  }

  const flushSync = (): void => {
    isPlanned = false
    if (isClosed || size === 0) return
    unwritten = Buffer.concat([unwritten, Buffer.from(lines.join(''))])
    lines = []
    try {
      while (unwritten.length > 0) unwritten = unwritten.subarray(writeSync(fd, unwritten))
    } catch (error) {
      const { code = '' } = error as NodeJS.ErrnoException
      if (RETRIED.has(code)) {
        isPlanned = true
        setTimeout(flushSync, RETRY_MS).unref()
      } else {
        isClosed = true
        unwritten = Buffer.alloc(0)
        lose(code)
      }
    }
    size = unwritten.length
  }
  // Whoever calls process.exit() has logged why.
  process.once('exit', flushSync)

  return {
    write(line) {
      if (isClosed) return
      if (size + line.length > MAX_WAITING_BYTES) return lose('EAGAIN')
      lines.push(line)
      size += line.length
      if (isPlanned) return
      isPlanned = true
      setImmediate(flushSync)
    },
    flushSync,
  }
}
