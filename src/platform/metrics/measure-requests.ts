import type { FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from 'fastify'
import { Counter, Histogram, type Registry } from 'prom-client'

const BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5]

/** The metrics of one route and method, with their labels already set. */
interface Series {
  seconds: Histogram.Internal<'method' | 'route'>
  answered(status: number): Counter.Internal
}

/**
 * Counts and times requests. Each route has its series from the start, so that no request needs a lookup by its path.
 * All paths that are no route share one series: their number has no limit.
 */
export function measureRequests(registry: Registry): (app: FastifyInstance) => void {
  const registers = [registry]
  const refusals = new Counter({
    name: 'latchkey_refusals_total',
    help: 'Refused requests, by error code.',
    labelNames: ['code'],
    registers,
  })
  const tokens = new Counter({
    name: 'latchkey_tokens_issued_total',
    help: 'Answers of the token endpoint with tokens, by grant type.',
    labelNames: ['grant'],
    registers,
  })
  const requests = new Counter({
    name: 'latchkey_http_requests_total',
    help: 'Answered requests.',
    labelNames: ['method', 'route', 'status'],
    registers,
  })
  const durations = new Histogram({
    name: 'latchkey_http_request_duration_seconds',
    help: 'Time from the head of a request to the end of its answer.',
    labelNames: ['method', 'route'],
    buckets: BUCKETS,
    registers,
  })

  const newSeries = (route: string, method: string): Series => {
    const statuses = new Map<number, Counter.Internal>()
    return {
      seconds: durations.labels({ method, route }),
      answered: (status) => statuses.getOrInsertComputed(status, () => requests.labels({ method, route, status })),
    }
  }
  const record = ({ seconds, answered }: Series, { elapsedTime, statusCode, errorCode }: FastifyReply) => {
    seconds.observe(elapsedTime / 1000)
    answered(statusCode).inc()
    if (errorCode !== null) refusals.inc({ code: errorCode })
  }

  return (app) => {
    const unknown = newSeries('unknown', 'any')
    app.addHook('onRoute', (route: RouteOptions) => {
      const byMethod = new Map([route.method].flat().map((method) => [method, newSeries(route.url, method)]))
      const countToken = route.url === '/oauth/token' ? countGrants(tokens) : undefined
      const measure = (request: FastifyRequest, reply: FastifyReply, done: () => void) => {
        const series = byMethod.get(request.method)
        if (series) record(series, reply)
        countToken?.(request, reply)
        done()
      }
      route.onResponse = [route.onResponse ?? [], measure].flat()
    })
    app.addHook('onResponse', (request, reply, done) => {
      if (request.is404) record(unknown, reply)
      done()
    })
  }
}

const GRANTS = ['authorization_code', 'refresh_token', 'client_credentials'] as const

function countGrants(tokens: Counter<'grant'>) {
  const counts = new Map<unknown, Counter.Internal>(GRANTS.map((grant) => [grant, tokens.labels({ grant })]))
  // A series that starts at zero lets Prometheus see its first increase.
  for (const count of counts.values()) count.inc(0)
  return ({ body }: FastifyRequest, { statusCode }: FastifyReply): void => {
    if (statusCode === 200) counts.get((body as { grant_type?: unknown } | undefined)?.grant_type)?.inc()
  }
}
