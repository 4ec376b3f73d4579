import swagger from '@fastify/swagger'
import type { FastifyInstance, RouteOptions } from 'fastify'
import { VERSION } from '../config/version.ts'
import { guardOf, HIDDEN, type Guard, type Routes } from './contracts.ts'
import { isJsonObject } from './request-body.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** The reasons of errors that the features have. */
    errorReasons: readonly string[]
  }
}

/** Collects every route's contract into one OpenAPI document. Must be in place before the routes are. */
export async function describeApi(
  app: FastifyInstance,
  { baseUrl, errorReasons }: { baseUrl: string; errorReasons: readonly string[] },
): Promise<void> {
  app.decorate('errorReasons', errorReasons)
  app.addHook('onRoute', (route: RouteOptions) => {
    const guard = guardOf(route)
    if (guard) route.schema = { ...route.schema, ...accessOf(guard) }
  })
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Latchkey',
        version: VERSION,
        description:
          'One identity provider: OAuth 2.0 and OpenID Connect, passkeys and passwords, SSH certificates, administration. Times are epoch milliseconds unless stated otherwise.',
        license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
      },
      servers: [{ url: baseUrl }],
      components: {
        securitySchemes: {
          session: {
            type: 'apiKey',
            in: 'cookie',
            name: 'session',
            description:
              'Where the dashboard is on https, the cookie `__Host-session` is set too and takes precedence. Without it, two different cookies named session count as none. A request that changes something may carry `X-Latchkey-User: <user id>`: if the session belongs to another user, the answer is 409 `other_user`.',
          },
          bearer: { type: 'http', scheme: 'bearer' },
          client: {
            type: 'http',
            scheme: 'basic',
            description: 'Client id and secret; also accepted in the form body.',
          },
        },
      },
    },
  })
}

const accessOf = ({ permission, alsoNeeds, acceptsBearer, freshness, lesser }: Guard) => ({
  security: [{ session: [] }, ...(acceptsBearer ? [{ bearer: [] }] : [])],
  ...(permission === null ? {} : { 'x-permission': permission }),
  ...(alsoNeeds === undefined ? {} : { 'x-permission-too': alsoNeeds }),
  ...(freshness === undefined ? {} : { 'x-fresh-sign-in': freshness }),
  ...(lesser === undefined ? {} : { 'x-lesser-sign-in': lesser }),
})

/** The document, once all routes are in place. */
export function describedApi(app: FastifyInstance) {
  const document = nameSchemas(app.swagger())
  const { components } = document as { components?: { schemas: Record<string, object> } }
  Object.assign(components?.schemas['ErrorReason'] ?? {}, { 'x-extensible-enum': app.errorReasons })
  return document
}

/** It is made once, at the first request for it. */
export const openApiRoutes = (): Routes => async (app) => {
  let document: string | undefined

  app.get('/openapi.json', { schema: HIDDEN }, async (_request, reply) => {
    document ??= JSON.stringify(describedApi(app))
    return reply.type('application/json; charset=utf-8').send(document)
  })
  // Until 0.2 this was a page. Browsers and tools show the document at least as well.
  app.get('/docs', { schema: HIDDEN }, async (_request, reply) => reply.redirect('/openapi.json'))
}

type Node = Record<string, unknown>

const isShape = ({ type, properties }: Node): boolean => type === 'object' && isJsonObject(properties)

/**
 * Moves every schema that has a title to `components`, and replaces it by a reference. The document becomes a fraction of its
 * size, and programs that read it get names instead of the same shape a hundred times.
 */
function nameSchemas<T extends object>(document: T): T {
  const schemas: Node = {}

  const visit = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(visit)
    if (!isJsonObject(value)) return value
    const visited = Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, visit(inner)]))
    const { title } = visited
    if (typeof title !== 'string' || !(isShape(visited) || 'x-extensible-enum' in visited)) return visited
    const name = title.replaceAll(/\W+/g, '')
    // A description differs from use to use, so it is no part of a shape; a list of words has the same one everywhere.
    const { description: _, ...rest } = visited
    const shape = isShape(visited) ? rest : visited
    const known = schemas[name]
    if (known === undefined) schemas[name] = shape
    else if (JSON.stringify(known) !== JSON.stringify(shape))
      throw new Error(`Two different schemas are called ${name}.`)
    return { $ref: `#/components/schemas/${name}` }
  }

  const { paths, components, ...rest } = document as unknown as Node
  const visitedPaths = visit(paths)
  return { ...rest, components: { ...(components as Node | undefined), schemas }, paths: visitedPaths } as unknown as T
}
