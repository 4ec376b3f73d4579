import { hash } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { failures, type Routes, strict, Success } from '../../http/contracts.ts'
import { sendTagged } from '../../http/etag.ts'
import { sourceOf } from '../../http/request-source.ts'
import type { Services } from '../../services.ts'
import { readAccess } from './access-store.ts'
import { requireHost, refuseHost, tokenHashOf } from './authenticate-host.ts'
import { enrollHost, renewHost, shouldRenew } from './enroll-host.ts'
import { type Access, listAccounts } from './host-accounts.ts'
import { findHostById, markReported } from './host-store.ts'
import { HostCertificate } from './host.ts'
import { bareTag, type Subject, type Waits } from './waits.ts'

const tags = ['SSH hosts']
const MAX_KEYS = 8

const Enrolled = Type.Object({
  host: Type.Object({ id: Type.String(), name: Type.String(), hostnames: Type.Array(Type.String()) }),
  certificates: Type.Array(HostCertificate),
  hostToken: Type.String({ description: 'Proves to this service which host it is. Shown this once.' }),
})

/** What an enrolled host calls, with its token and without a person. */
export const hostAgentRoutes =
  (services: Services & { waits: Waits }): Routes =>
  async (app) => {
    const { db, now, monotonicNow, locate } = services
    const access = shareReads(() => readAccess(db.read), monotonicNow)

    const readPrincipals = async (hostId: string, read: () => Promise<Access>) => {
      const { allowedRoles } = (await findHostById(db.read, hostId)) ?? refuseHost()
      const body = JSON.stringify({ accounts: listAccounts(await read(), allowedRoles) })
      return { body, etag: `"${hash('sha256', body, 'base64url').slice(0, 22)}"` }
    }
    const sendPrincipals = async (request: FastifyRequest, reply: FastifyReply) => {
      const { body, etag } = await readPrincipals(await requireHost(services, request), () => readAccess(db.read))
      return sendTagged(request, reply, etag, body)
    }
    const principalsOf = (hostId: string): Subject => ({
      key: `principals ${hostId}`,
      read: () => readPrincipals(hostId, access),
      // The token may have ended meanwhile.
      recheck: (request) => requireHost(services, request),
    })

    app.post(
      '/ssh/hosts/enroll',
      {
        schema: {
          tags,
          summary: 'Enroll a host',
          description:
            'With the token that was shown to an administrator. It serves once; a refusal does not use it up.',
          body: Type.Object(
            {
              token: Type.String({ minLength: 1, maxLength: 256 }),
              publicKeys: Type.Array(Type.String({ minLength: 1, maxLength: 16384 }), {
                minItems: 1,
                maxItems: MAX_KEYS,
              }),
            },
            strict,
          ),
          response: { 201: Enrolled, ...failures(400, 401, 409, 503) },
        },
      },
      async (request, reply) =>
        reply.code(201).send(await enrollHost(services, request.body, sourceOf(locate, request))),
    )

    app.post(
      '/ssh/hosts/renew',
      {
        schema: {
          tags,
          summary: 'New certificates and a new token for a host',
          description: 'The token of the request works until the new one is used for the first time.',
          security: [{ bearer: [] }],
          body: Type.Optional(Type.Union([Type.Object({}, strict), Type.Null()])),
          response: { 200: Enrolled, ...failures(400, 401, 503) },
        },
      },
      async (request) => renewHost(services, tokenHashOf(request), sourceOf(locate, request)),
    )

    app.get(
      '/ssh/hosts/principals',
      {
        schema: {
          tags,
          summary: 'Who may log in to which account of the host',
          description: 'For files that `AuthorizedPrincipalsFile` names.',
          security: [{ bearer: [] }],
          querystring: Type.Object({
            wait: Type.Optional(Type.String({ description: 'As for the revocation list.' })),
          }),
          response: {
            200: Type.Unsafe<string>({
              type: 'object',
              properties: {
                accounts: {
                  type: 'object',
                  additionalProperties: { type: 'array', items: { type: 'string' } },
                },
              },
            }),
            304: Type.Null({ description: 'It has not changed.' }),
            ...failures(401, 503),
          },
        },
      },
      (request, reply) => {
        const { wait } = request.query
        reply.type('application/json; charset=utf-8').header('cache-control', 'no-store')
        if (wait === undefined) return sendPrincipals(request, reply)
        return services.waits.hold(reply, async () => {
          const hostId = await requireHost(services, request)
          return { subject: principalsOf(hostId), wait, isKnown: true }
        })
      },
    )

    app.post(
      '/ssh/hosts/report',
      {
        schema: {
          tags,
          summary: 'What a host has in force',
          security: [{ bearer: [] }],
          body: Type.Object(
            {
              krlVersion: Type.String({
                maxLength: 256,
                description: 'The ETag of its revocation list, without quotes.',
              }),
              sshdVersion: Type.String({ maxLength: 200 }),
            },
            strict,
          ),
          response: {
            200: Type.Object({
              ...Success.properties,
              renew: Type.Boolean({ description: 'The host should renew its certificates now.' }),
            }),
            ...failures(400, 401, 503),
          },
        },
      },
      async (request) => {
        const id = await requireHost(services, request)
        const { krlVersion, sshdVersion } = request.body
        await db.transaction((trx) =>
          markReported(trx, { id, krlVersion: bareTag(krlVersion), sshdVersion, at: now() }),
        )
        const host = (await findHostById(db.read, id)) ?? refuseHost()
        return { success: true as const, renew: await shouldRenew(services, host) }
      },
    )
  }

/** As old as what waiting hosts are told may be: many of them wait for the same. */
const SHARED_MS = 500

function shareReads<T>(read: () => Promise<T>, monotonicNow: () => number): () => Promise<T> {
  let shared: { at: number; value: Promise<T> } | undefined
  return () => {
    if (!shared || monotonicNow() - shared.at >= SHARED_MS) {
      const begun = { at: monotonicNow(), value: read() }
      shared = begun
      begun.value.catch(() => {
        if (shared === begun) shared = undefined
      })
    }
    return shared.value
  }
}
