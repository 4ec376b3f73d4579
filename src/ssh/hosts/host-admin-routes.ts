import { Type } from 'typebox'
import { readHoldings } from '../../identity/roles/holdings.ts'
import { actorOf } from '../../identity/sessions/actor.ts'
import { needs, needsSessionOrToken } from '../../identity/sessions/guards.ts'
import { findSshBearer } from '../../oauth/tokens/ssh-bearer-store.ts'
import {
  ById,
  type Freshness,
  failures,
  NextCursor,
  Nullable,
  PageQuery,
  type Routes,
  strict,
  Success,
  success,
} from '../../platform/http/contracts.ts'
import { decodeCursor } from '../../platform/http/cursor.ts'
import type { Services } from '../../platform/services.ts'
import { listPrincipalGroups, principalsOf } from '../certificates/principals.ts'
import { listNamesOfSessions, listSessionsOfHost, SshSession } from '../reports/session-list-store.ts'
import { readAccess, openedAccounts } from './host-accounts.ts'
import { listAttention } from './host-attention-store.ts'
import { bareTag, type HostLists } from './host-lists.ts'
import { findHostById, listAllHosts, listHosts } from './host-store.ts'
import { Host, HOST_SEEN_MS, HostChange, NewHost, type StoredHost } from './host.ts'
import {
  changeHost,
  createHost,
  type Enrollment,
  enrollmentCommand,
  refuseUnknown,
  removeHost,
  renewEnrollment,
} from './manage-hosts.ts'

const tags = ['SSH hosts']

const OneHost = Type.Object({ host: Host })
const HostAndSessions = Type.Object({
  host: Host,
  sshSessions: Type.Optional(
    Nullable(
      Type.Array(SshSession, {
        description:
          'As the host reports them, the newest first. Null: it can’t know, or has not said. Absent without ssh:cert:list.',
      }),
    ),
  ),
  usernames: Type.Optional(
    Type.Record(Type.String(), Type.String(), { description: 'By user: what those are called who have a session.' }),
  ),
})
const Enrolling = Type.Object({
  host: Host,
  enrollmentToken: Type.String({ description: 'For one hour and one use. Shown this once.' }),
  command: Type.String({ description: 'The line that enrolls the host, for a shell on it.' }),
})

/** Hosts, for those who manage them, and for those who log in to them. */
export const hostAdminRoutes =
  (services: Services & { hostLists: HostLists }): Routes =>
  async (app) => {
    const { db, now } = services
    const guard = (freshness?: Freshness) => needs(services, 'ssh:hosts:manage', freshness)

    /** Adds whether the list that the host uses is the current one, and why it needs attention. */
    const withState = async (hosts: StoredHost[]): Promise<Host[]> => {
      const { etag } = await services.hostLists.revocations('user', 'krl').fresh()
      const isCurrent = ({ krlVersion, lastSeenAt }: StoredHost) =>
        krlVersion === bareTag(etag) && lastSeenAt !== null && lastSeenAt > now() - HOST_SEEN_MS
      const ids = hosts.map(({ id }) => id)
      const attention = await listAttention(db.read, ids)
      return hosts.map((host) => ({ ...host, attention: attention.get(host.id) ?? null, current: isCurrent(host) }))
    }
    const one = async (host: StoredHost) => {
      const [shown] = await withState([host])
      return { host: shown ?? refuseUnknown() }
    }
    /** Only for those who may see whose certificates there are. */
    const readSessions = async (hostId: string, userId: string) => {
      const { permissions } = await readHoldings(db.read, userId)
      if (!permissions.has('ssh:cert:list')) return {}
      const sshSessions = await listSessionsOfHost(db.read, hostId, now())
      return { sshSessions, usernames: await listNamesOfSessions(db.read, hostId) }
    }
    const enrolling = async ({ host, enrollmentToken }: Enrollment) => ({
      ...(await one(host)),
      enrollmentToken,
      command: enrollmentCommand(services, enrollmentToken),
    })

    app.get(
      '/api/ssh/hosts',
      {
        onRequest: guard(),
        schema: {
          tags,
          summary: 'List hosts',
          querystring: Type.Object(PageQuery, strict),
          response: {
            200: Type.Object({ hosts: Type.Array(Host), nextCursor: NextCursor }),
            ...failures(400, 401, 403, 503),
          },
        },
      },
      async ({ query }) => {
        const { items, nextCursor } = await listHosts(db.read, query.limit ?? 50, decodeCursor(query.cursor))
        return { hosts: await withState(items), nextCursor }
      },
    )

    app.post(
      '/api/ssh/hosts',
      {
        onRequest: guard('fresh'),
        schema: {
          tags,
          summary: 'Register a host, and get the line that enrolls it',
          body: NewHost,
          response: { 201: Enrolling, ...failures(400, 401, 403, 409, 503) },
        },
      },
      async (request, reply) =>
        reply.code(201).send(await enrolling(await createHost(services, request.body, actorOf(services, request)))),
    )

    app.get(
      '/api/ssh/hosts/:id',
      {
        onRequest: guard(),
        schema: {
          tags,
          summary: 'A host, and who is there',
          params: ById,
          response: { 200: HostAndSessions, ...failures(401, 403, 404, 503) },
        },
      },
      async ({ params, signedIn }) => ({
        ...(await one((await findHostById(db.read, params.id)) ?? refuseUnknown())),
        ...(await readSessions(params.id, signedIn.user.id)),
      }),
    )

    app.patch(
      '/api/ssh/hosts/:id',
      {
        onRequest: guard(),
        schema: {
          tags,
          summary: 'Change a host',
          description:
            'Certificates that name a host name which is taken away are revoked. Users can’t admit themselves, except administrators.',
          params: ById,
          body: HostChange,
          response: { 200: OneHost, ...failures(400, 401, 403, 404, 409, 503) },
        },
      },
      async (request) => one(await changeHost(services, request.params.id, request.body, actorOf(services, request))),
    )

    app.delete(
      '/api/ssh/hosts/:id',
      {
        onRequest: guard(),
        schema: {
          tags,
          summary: 'Delete a host, and revoke its certificates',
          params: ById,
          response: { 200: Success, ...failures(401, 403, 404, 503) },
        },
      },
      async (request) => {
        await removeHost(services, request.params.id, actorOf(services, request))
        return success
      },
    )

    app.post(
      '/api/ssh/hosts/:id/enrollment',
      {
        onRequest: guard('fresh'),
        schema: {
          tags,
          summary: 'A new line that enrolls a host',
          description:
            'The token and the certificates that it has end when the line is used, or at once with `revoke`.',
          params: ById,
          body: Type.Union([Type.Object({ revoke: Type.Optional(Type.Boolean()) }, strict), Type.Null()]),
          response: { 201: Enrolling, ...failures(400, 401, 403, 404, 503) },
        },
      },
      async (request, reply) => {
        const which = { id: request.params.id, revoke: request.body?.revoke ?? false }
        return reply.code(201).send(await enrolling(await renewEnrollment(services, which, actorOf(services, request))))
      },
    )

    app.get(
      '/api/ssh/my-hosts',
      {
        onRequest: needsSessionOrToken(services, 'ssh:cert:issue', (hash) =>
          findSshBearer(db.read, { hash, permission: 'ssh:cert:issue', now: now() }),
        ),
        schema: {
          tags,
          summary: 'The hosts that you may log in to, and as whom',
          response: {
            200: Type.Object({
              hosts: Type.Array(
                Type.Object({
                  name: Type.String(),
                  hostnames: Type.Array(Type.String()),
                  accounts: Type.Array(Type.String()),
                }),
              ),
            }),
            ...failures(401, 403, 503),
          },
        },
      },
      async ({ signedIn: { user } }) => {
        const access = await readAccess(db.read, user.id)
        const principals = new Set(principalsOf(await listPrincipalGroups(db.read, user), user.preferredUsername))
        const hosts = (await listAllHosts(db.read)).map(({ name, hostnames, allowedRoles }) => ({
          name,
          hostnames,
          accounts: openedAccounts(access, allowedRoles, principals),
        }))
        return { hosts: hosts.filter(({ accounts }) => accounts.length > 0) }
      },
    )
  }
