import { Type } from 'typebox'
import { failures, type Routes } from '../../platform/http/contracts.ts'
import { sendPublicText } from '../../platform/http/headers.ts'
import type { Services } from '../../platform/services.ts'
import type { Form } from '../revocation/write-revocation-list.ts'
import { findHost } from './authenticate-host.ts'
import { writeClientSetup } from './client-setup.ts'
import { type HostLists, sendFresh } from './host-lists.ts'
import type { LongPolls } from './long-polls.ts'
import { writeHostSetup, writeKnownHosts } from './setup-files.ts'

const tags = ['SSH hosts']

const KrlQuery = Type.Object({
  format: Type.Optional(
    Type.Union([Type.Literal('krl'), Type.Literal('binary'), Type.Literal('raw')], {
      description:
        'krl (or binary): for sshd. raw: one line for each serial or range of serials, as ssh-keygen reads it. Absent: JSON.',
    }),
  ),
  wait: Type.Optional(
    Type.String({
      description:
        'The ETag of the list that the host has: the answer comes when the list is another one, or after 55 seconds. Then it is the list, or 304.',
    }),
  ),
  includeExpired: Type.Optional(Type.Boolean({ description: 'Include revoked certificates that have expired.' })),
  wildcard: Type.Optional(
    Type.Boolean({
      description: 'For a binary list: name no certificate authority, so that it applies to all of them.',
    }),
  ),
})

const KrlResponses = {
  200: Type.Unsafe<Buffer>({
    type: 'object',
    properties: {
      revoked: {
        type: 'array',
        items: {
          type: 'object',
          properties: {
            serial: { type: 'string' },
            revokedAt: { type: 'integer', description: 'Epoch seconds.' },
          },
        },
      },
      revokedRanges: {
        type: 'array',
        description:
          'Only after a backup was restored: all serials from the first to the last, which may have been issued after the backup was made.',
        items: {
          type: 'object',
          properties: {
            firstSerial: { type: 'string' },
            lastSerial: { type: 'string' },
            revokedAt: { type: 'integer', description: 'Epoch seconds.' },
          },
        },
      },
    },
  }),
  304: Type.Null({ description: 'It has not changed.' }),
  ...failures(400, 503),
}

const TYPES: Record<Form, string> = {
  krl: 'application/octet-stream',
  wildcard: 'application/octet-stream',
  raw: 'text/plain; charset=utf-8',
  json: 'application/json; charset=utf-8',
}

/** What hosts and people fetch: who is trusted, the revocation lists, and the scripts that set them up. */
export const sshHostRoutes =
  (services: Services & { longPolls: LongPolls; hostLists: HostLists }): Routes =>
  async (app) => {
    const { baseUrl } = services.config
    const setup = writeHostSetup(baseUrl)
    const clientSetup = writeClientSetup(services.config)

    app.get(
      '/ssh/known_hosts',
      {
        schema: {
          tags,
          summary: 'What makes ssh trust the certificates of hosts',
          description: 'For a file that `GlobalKnownHostsFile` or `UserKnownHostsFile` names.',
          produces: ['text/plain'],
          response: { 200: Type.String(), 304: Type.Null({ description: 'It has not changed.' }) },
        },
      },
      async (request, reply) => sendPublicText(request, reply, writeKnownHosts(services)),
    )

    for (const [path, summary, holder] of [
      ['/ssh/krl', 'The revocation list', 'user'],
      ['/ssh/host-krl', 'The revocation list of hosts', 'host'],
    ] as const) {
      app.get(
        path,
        {
          schema: {
            tags,
            summary,
            description:
              'In OpenSSH’s own format for `RevokedKeys` or `RevokedHostKeys`, as text or as JSON. `Accept: application/octet-stream` selects the first when `format` is absent. It holds every revocation made before the request; when they can’t be read the answer is an error, never a shorter list.',
            produces: ['application/json', 'application/octet-stream', 'text/plain'],
            querystring: KrlQuery,
            response: KrlResponses,
          },
        },
        (request, reply) => {
          const { format, includeExpired = false, wildcard = false, wait } = request.query
          const form = formOf(format ?? (prefersBinary(request.headers.accept) ? 'krl' : 'json'), wildcard)
          // Caches may keep it, but must check at each use whether it has changed.
          reply.type(TYPES[form]).header('cache-control', 'no-cache').header('vary', 'Accept')
          const list = services.hostLists.revocations(holder, form, includeExpired)
          if (wait === undefined) return sendFresh(request, reply, list)
          return services.longPolls.wait(reply, async (isFirst) => {
            const host = await findHost(services, request, { raises: isFirst })
            return { list, known: wait, hostId: host?.id }
          })
        },
      )
    }
    app.addHook('preClose', () => services.longPolls.close())

    app.get(
      '/ssh/host-setup.sh',
      {
        schema: {
          tags,
          summary: 'A script that sets up a host',
          description:
            'To be run as root: installs the CA key, the revocation list, and a timer that keeps both current.',
          produces: ['text/x-shellscript'],
          response: { 200: Type.String() },
        },
      },
      async (_request, reply) =>
        reply.type('text/x-shellscript; charset=utf-8').header('cache-control', 'no-cache').send(setup),
    )

    app.get(
      '/ssh/client-setup.sh',
      {
        schema: {
          tags,
          summary: 'A script that installs latchkey-ssh for one person',
          description: 'To be run by the person: installs a program that signs in and keeps an SSH certificate.',
          produces: ['text/x-shellscript'],
          response: { 200: Type.String() },
        },
      },
      async (_request, reply) =>
        reply.type('text/x-shellscript; charset=utf-8').header('cache-control', 'no-cache').send(clientSetup),
    )
  }

function formOf(format: 'krl' | 'binary' | 'raw' | 'json', wildcard: boolean): Form {
  if (format === 'raw' || format === 'json') return format
  return wildcard ? 'wildcard' : 'krl'
}

/** RFC 9110 §12.5.1, for the two types in question: named, and not ranked below JSON. */
function prefersBinary(accept = ''): boolean {
  const weights = new Map<string, number>()
  for (const range of accept.toLowerCase().split(',')) {
    const [type = '', ...parameters] = range.split(';').map((part) => part.trim())
    const weight = parameters.find((parameter) => parameter.startsWith('q='))
    weights.set(type, weight === undefined ? 1 : Number(weight.slice(2)) || 0)
  }
  const binary = weights.get('application/octet-stream') ?? 0
  return binary > 0 && binary >= (weights.get('application/json') ?? 0)
}
