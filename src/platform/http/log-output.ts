import { writeSync } from 'node:fs'
import type { DestinationStream } from 'pino'

/** Where log lines go. Pino calls `flushSync` after a fatal one. */
export interface LogOutput extends DestinationStream {
  flushSync(): void
}

/** How many bytes are kept for a slow reader or a full disk. Further lines are dropped. */
const MAX_WAITING_BYTES = 1024 * 1024
const RETRY_MS = 50
/** The reader is slow, or the disk is full. After any other failure the output is closed for good. */
const RETRIED = new Set(['EAGAIN', 'ENOSPC', 'EDQUOT'])

/**
 * Writes log lines, those of one turn of the event loop together. A log that can't be written never holds up or ends the
 * service: lines are dropped, and `onLost` is called the first time. Pino's own destination retries a failed write for ever
 * when it flushes, so that a process whose standard output was closed could not end.
 */
export function createLogOutput(fd: number, onLost: (code: string) => void): LogOutput {
  let lines: string[] = []
  let unwritten: Buffer = Buffer.alloc(0)
  let size = 0
  let isPlanned = false
  let isClosed = false
  let reportLost = (code: string): void => {
    reportLost = () => {}
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
        reportLost(code)
      }
    }
    size = unwritten.length
  }
  // The reason of a process.exit() was logged just before.
  process.once('exit', flushSync)

  return {
    write(line) {
      if (isClosed) return
      if (size + line.length > MAX_WAITING_BYTES) return reportLost('EAGAIN')
      lines.push(line)
      size += line.length
      if (isPlanned) return
      isPlanned = true
      setImmediate(flushSync)
    },
    flushSync,
  }
}
