import type { FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from 'fastify'
import { createHistogram, type Histogram } from './histogram.ts'
import type { Count, Registry } from './registry.ts'

const BOUNDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5]

/** One route and method: what its requests came to. */
interface Series {
  route: string
  method: string
  seconds: Histogram
  statuses: Map<number, Count>
}

/**
 * Counts and times requests. Each route has its place to count from the start, so that a request adds a few numbers and
 * looks nothing up by its path. All paths that are no route share one place: there is no end to them.
 */
export function measureRequests(registry: Registry): (app: FastifyInstance) => void {
  const all: Series[] = []
  const refusals = registry.counter(
    'latchkey_refusals_total',
    'Requests that were refused, by the code of the refusal.',
  )
  const tokens = registry.counter('latchkey_tokens_issued_total', 'Answers of the token endpoint that held tokens.')
  registry.add({
    name: 'latchkey_http_requests_total',
    help: 'Requests that were answered.',
    type: 'counter',
    samples: () =>
      all.flatMap(({ route, method, statuses }) =>
        [...statuses].map(([status, { value }]) => ({ labels: { method, route, status: String(status) }, value })),
      ),
  })
  registry.add({
    name: 'latchkey_http_request_duration_seconds',
    help: 'From the head of a request to the end of its answer.',
    type: 'histogram',
    samples: () =>
      all
        .filter(({ seconds }) => seconds.count() > 0)
        .flatMap(({ route, method, seconds }) => seconds.samples({ method, route })),
  })

  const newSeries = (route: string, method: string): Series => {
    const series = { route, method, seconds: createHistogram(BOUNDS), statuses: new Map<number, Count>() }
    all.push(series)
    return series
  }
  const record = ({ seconds, statuses }: Series, reply: FastifyReply) => {
    seconds.observe(reply.elapsedTime / 1000)
    const count = statuses.get(reply.statusCode)
    if (count) count.value++
    else statuses.set(reply.statusCode, { value: 1 })
    if (reply.refusalCode !== null) refusals({ code: reply.refusalCode }).value++
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

function countGrants(tokens: ReturnType<Registry['counter']>) {
  const counts = new Map<unknown, Count>(GRANTS.map((grant) => [grant, tokens({ grant })]))
  return ({ body }: FastifyRequest, { statusCode }: FastifyReply): void => {
    if (statusCode !== 200) return
    const count = counts.get((body as { grant_type?: unknown } | undefined)?.grant_type)
    if (count) count.value++
  }
}
