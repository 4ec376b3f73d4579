import type { FastifyReply, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { failures, type Routes, strict } from '../../platform/http/contracts.ts'
import { sourceOf } from '../../platform/http/request-source.ts'
import type { Services } from '../../platform/services.ts'
import { HostAccount } from '../accounts/list-host-accounts.ts'
import { type EnrolledHost, hostOf, needsHost, recheckToken, requireHost, tokenHashOf } from './authenticate-host.ts'
import { enrollHost, renewHost } from './enroll-host.ts'
import { type HostLists, jointTag, sendFresh, type WatchedList } from './host-lists.ts'
import { HostCertificate } from './host.ts'
import type { LongPolls } from './long-polls.ts'

const tags = ['SSH hosts']
const MAX_KEYS = 8

const Enrolled = Type.Object({
  host: Type.Object({ id: Type.String(), name: Type.String(), hostnames: Type.Array(Type.String()) }),
  certificates: Type.Array(HostCertificate),
  hostToken: Type.String({ description: 'Proves to this service which host it is. Shown this once.' }),
})

/** What an enrolled host calls, with its token and without a person. */
export const hostAgentRoutes =
  (services: Services & { longPolls: LongPolls; hostLists: HostLists }): Routes =>
  async (app) => {
    const { locate, hostLists, longPolls } = services

    /** Lets a request wait until the list of its host is another one than it has. */
    const poll = (
      request: FastifyRequest,
      reply: FastifyReply,
      known: string,
      listOf: (host: EnrolledHost) => WatchedList,
    ): void =>
      longPolls.wait(reply, async (isFirst) => {
        if (!isFirst) request.enrolledHost = await requireHost(services, request, { forLists: true, raises: false })
        const host = hostOf(request)
        const list = { ...listOf(host), recheck: (asked: FastifyRequest) => recheckToken(services, asked) }
        return { list, known, hostId: host.id }
      })

    const principalsOf = ({ allowedRoles }: EnrolledHost) => hostLists.principals(allowedRoles)
    const accountsOf = ({ allowedRoles, accounts }: EnrolledHost) => hostLists.accounts(allowedRoles, accounts)

    app.post(
      '/ssh/hosts/enroll',
      {
        schema: {
          tags,
          summary: 'Enroll a host',
          description:
            'With the token that was shown to an administrator. It serves once; a request that fails does not use it up.',
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
        onRequest: needsHost(services),
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
        onRequest: needsHost(services, { forLists: true }),
        schema: {
          tags,
          summary: 'Who may log in to which account of the host',
          description:
            'For files that `AuthorizedPrincipalsFile` names. A host that was deleted gets an empty list for 90 days, so that it closes.',
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
            ...failures(400, 401, 503),
          },
        },
      },
      (request, reply) => {
        const { wait } = request.query
        reply.type('application/json; charset=utf-8')
        return wait === undefined
          ? sendFresh(request, reply, principalsOf(hostOf(request)))
          : poll(request, reply, wait, principalsOf)
      },
    )

    app.get(
      '/ssh/hosts/accounts',
      {
        onRequest: needsHost(services, { forLists: true }),
        schema: {
          tags,
          summary: 'The accounts that a host with managed accounts makes',
          description:
            'One for everybody who may log in there. What a host has made and is not in the list is locked, like those that are listed as `locked`. A host whose accounts are its own gets an empty list, and so does one that was deleted, for 90 days.',
          security: [{ bearer: [] }],
          querystring: Type.Object({
            wait: Type.Optional(Type.String({ description: 'As for the revocation list.' })),
          }),
          response: {
            200: Type.Unsafe<string>(Type.Object({ accounts: Type.Array(HostAccount) })),
            304: Type.Null({ description: 'It has not changed.' }),
            ...failures(400, 401, 503),
          },
        },
      },
      (request, reply) => {
        const { wait } = request.query
        reply.type('application/json; charset=utf-8')
        return wait === undefined
          ? sendFresh(request, reply, accountsOf(hostOf(request)))
          : poll(request, reply, wait, accountsOf)
      },
    )

    app.get(
      '/ssh/hosts/wait',
      {
        onRequest: needsHost(services, { forLists: true }),
        schema: {
          tags,
          summary: 'Wait until the lists of the host change',
          description:
            'Answers when the revocation list (`/ssh/krl?format=krl`) or the list of accounts (`/ssh/hosts/principals`) is another one than the host has, with the ETags of both, or after 55 seconds with 304. With `accounts`, also when the accounts that it makes (`/ssh/hosts/accounts`) are others, and with `ca`, when the keys of the authority (`/ssh/ca.pub?trusted=all`) are others; then these ETags are in the answer too. The ETag of the 304 is the bare ETags of all of them, joined by plus signs.',
          security: [{ bearer: [] }],
          querystring: Type.Object({
            krl: Type.Optional(Type.String({ description: 'The ETag of the revocation list that the host has.' })),
            principals: Type.Optional(Type.String({ description: 'The ETag of the list of accounts that it has.' })),
            accounts: Type.Optional(
              Type.String({ description: 'The ETag of the list of accounts that it makes. Absent: it makes none.' }),
            ),
            ca: Type.Optional(
              Type.String({
                description: 'The ETag of the keys that it trusts. Absent: it fetches them again each time.',
              }),
            ),
          }),
          response: {
            200: Type.Unsafe<string>({
              type: 'object',
              properties: {
                krl: { type: 'string' },
                principals: { type: 'string' },
                accounts: { type: 'string' },
                ca: { type: 'string' },
              },
              required: ['krl', 'principals'],
            }),
            304: Type.Null({ description: 'None of them has changed.' }),
            ...failures(400, 401, 503),
          },
        },
      },
      (request, reply) => {
        const { krl = '', principals = '', accounts, ca } = request.query
        reply.type('application/json; charset=utf-8')
        // In the order in which they are in the answer.
        const others = [accounts, ca].filter((tag) => tag !== undefined)
        return poll(request, reply, jointTag(krl, principals, ...others), (host) =>
          hostLists.tags(host.allowedRoles, {
            ca: ca !== undefined,
            ...(accounts === undefined ? {} : { accounts: host.accounts }),
          }),
        )
      },
    )
  }
