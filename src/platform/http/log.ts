import { writeSync } from 'node:fs'
import type { FastifyInstance } from 'fastify'
import { pino, type DestinationStream, type Logger } from 'pino'
import { AppError, StartError } from '../../errors.ts'
import { ROOT_FOLDER } from '../../root-folder.ts'
import { SkippedStatement, StorageFailure } from '../../storage/failure.ts'

/** Fields that may hold a secret are redacted by name, at the top of a line and one level below. */
const SECRETS = [
  'password',
  'currentPassword',
  'newPassword',
  'token',
  'secret',
  'client_secret',
  'code',
  'cookie',
  'authorization',
  'refresh_token',
  'access_token',
]

export const createLogger = (level: string, destination?: DestinationStream): Logger =>
  pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      redact: { paths: SECRETS.flatMap((name) => [name, `*.${name}`]), censor: '[redacted]' },
      serializers: { err: describeError },
      formatters: { level: (label) => ({ level: label }) },
    },
    ...(destination ? [destination] : []),
  )

const MAX_FRAMES = 6
/** Their messages say nothing that must not be in the log. */
const OUR_ERRORS = [AppError, StartError, StorageFailure, SkippedStatement]

/**
 * What an error is and where it was thrown. Only messages that this service wrote itself are kept: those of drivers, of
 * libraries and of the language can hold values of a query, parts of a body, addresses and paths. Of the stack
 * the files and lines are kept, without the message that it begins with and without the folder of the installation.
 */
function describeError(error: unknown): unknown {
  if (!(error instanceof Error)) return { type: typeof error }
  const { code, errcode, cause } = error as { code?: unknown; errcode?: unknown; cause?: unknown }
  const isOurs = OUR_ERRORS.some((type) => error instanceof type)
  return {
    type: error.constructor.name,
    ...(isOurs ? { message: error.message } : {}),
    // SQLite's own code says more than the one that Node gives to all of its errors.
    errorCode: errcode ?? code,
    at: locationsIn(error.stack),
    ...(cause === undefined ? {} : { cause: describeError(cause) }),
  }
}

function locationsIn(stack = ''): string[] {
  const frames = stack.split('\n').filter((line) => line.startsWith('    at ') && line.includes(`${ROOT_FOLDER}/`))
  const locations = frames.flatMap(
    (line) => /^[\w@/.-]+:\d+/.exec(line.slice(line.indexOf(ROOT_FOLDER) + ROOT_FOLDER.length + 1)) ?? [],
  )
  const own = locations.filter((location) => location.startsWith('src/'))
  return (own.length > 0 ? own : locations).slice(0, MAX_FRAMES)
}

/** 503 is expected, while the service stops or the database is unavailable. Any other 5xx is a fault of ours. */
export const levelOf = (status: number): 'info' | 'warn' | 'error' =>
  status < 500 ? 'info' : status === 503 ? 'warn' : 'error'

/** Fastify makes a child logger for each request, which costs more than the line it writes. Our lines name their request. */
export function withoutChildLoggers(log: Logger): Logger {
  const shared: Logger = Object.create(log, { child: { value: () => shared } }) as Logger
  return shared
}

/**
 * One line for each request. It has the route and not the URL: a query can hold secrets. All its fields are set here, so this logger does
 * not redact.
 */
export function logRequests(app: FastifyInstance, log: Logger): void {
  const lines = log.child({}, { redact: [] })
  app.addHook('onResponse', (request, reply, done) => {
    const { statusCode } = reply
    const level = levelOf(statusCode)
    if (lines.isLevelEnabled(level)) {
      lines[level](
        {
          requestId: request.id,
          method: request.method,
          route: request.routeOptions.url ?? 'unknown',
          status: statusCode,
          ms: Math.round(reply.elapsedTime * 10) / 10,
          ip: request.ip,
          user: request.signedIn?.user.id,
        },
        'request',
      )
    }
    done()
  })
}

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
 * Writes log lines, those of one tick of the event loop together. A log that can't be written never holds up or ends the
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
