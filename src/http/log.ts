import type { FastifyInstance } from 'fastify'
import { type DestinationStream, type Logger, pino } from 'pino'

/** Whatever might carry a secret is cut out by name, wherever in a line it stands. */
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

/** Error messages of drivers can hold values of a query: the class and code say enough, the stack says where. */
function describeError(error: unknown): unknown {
  if (!(error instanceof Error)) return { type: typeof error }
  const { name, message, stack, cause } = error
  const code = 'code' in error ? error.code : undefined
  return {
    type: name,
    message,
    errorCode: code,
    stack,
    ...(cause === undefined ? {} : { cause: describeError(cause) }),
  }
}

/** A logger of its own for each request costs more than the line it writes. Lines name their request themselves. */
export function oneForAll(log: Logger): Logger {
  const shared: Logger = Object.create(log, { child: { value: () => shared } }) as Logger
  return shared
}

/**
 * One line a request. The route and not the URL: a query can hold what must not be kept. What it says is all here, so this
 * logger need not look for secrets in every line.
 */
export function logRequests(app: FastifyInstance, log: Logger): void {
  const lines = log.child({}, { redact: [] })
  app.addHook('onResponse', (request, reply, done) => {
    const { statusCode } = reply
    const level = statusCode >= 500 ? 'error' : 'info'
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
