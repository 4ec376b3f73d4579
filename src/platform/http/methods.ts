import type { FastifyInstance, HTTPMethods, RouteOptions } from 'fastify'
import { HIDDEN } from './contracts.ts'
import { answerPreflight } from './cors.ts'
import { requestErrors } from './request-errors.ts'

interface Served {
  context: FastifyInstance
  path: string
  methods: Set<string>
  /** Its `config` is read when all hooks have run: the hook of the group sets it after this one has seen the route. */
  route: RouteOptions
}

const ALL: HTTPMethods[] = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'TRACE']

/**
 * Answers the methods that a URL does not have: OPTIONS lists those it has (and answers preflights), the others get 405
 * with Allow, in the error format and with the CORS headers of their group.
 * Call it before the routes are added; call what it returns after.
 */
export function trackMethods(app: FastifyInstance): () => void {
  const served = new Map<string, Served>()

  app.addHook('onRoute', function (route: RouteOptions & { routePath: string; path: string }) {
    const known = served.get(route.url)
    const methods = known?.methods ?? new Set<string>()
    for (const method of [route.method].flat()) methods.add(method)
    if (!known) served.set(route.url, { context: this, path: route.routePath, methods, route })
  })

  return () => {
    // The routes added here are seen by the hook above as well, so the list is fixed first.
    for (const { context, path, methods, route } of served.values().toArray()) {
      // It answers every method itself.
      if (methods.has('OPTIONS')) continue
      const allow = [...methods, 'OPTIONS'].join(', ')
      // One route for all of them, since adding a route takes longer than its methods.
      context.route({
        method: ['OPTIONS', ...ALL.filter((method) => !methods.has(method))],
        url: path,
        schema: HIDDEN,
        onRequest: async (request, reply) => {
          reply.header('allow', allow)
          if (request.method !== 'OPTIONS') throw requestErrors.method_not_allowed()
        },
        handler: async (request, reply) => {
          answerPreflight(request, reply, route.config?.cors, [...methods].join(', '))
          return reply.code(204).send()
        },
      })
    }
  }
}
