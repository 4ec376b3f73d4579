import { Type } from 'typebox'
import { actorOf } from '../../identity/sessions/actor.ts'
import { alsoLesser, signedIn } from '../../identity/sessions/guards.ts'
import { ById, failures, type Routes, strict, Success, success } from '../../platform/http/contracts.ts'
import type { Services } from '../../platform/services.ts'
import { endSessions } from './end-sessions.ts'
import { listSessionsOfUser, SshSession } from './session-list-store.ts'

const tags = ['SSH']

/** Sessions on hosts, for whoever has them and for who may end them. */
export const hostSessionRoutes =
  (services: Services): Routes =>
  async (app) => {
    const { db, now } = services

    app.get(
      '/api/ssh/my-sessions',
      {
        onRequest: signedIn(services),
        schema: {
          tags,
          summary: 'Your sessions on hosts',
          description: 'As the hosts report them, the newest first; at most 500.',
          response: { 200: Type.Object({ sshSessions: Type.Array(SshSession) }), ...failures(401, 503) },
        },
      },
      async (request) => ({ sshSessions: await listSessionsOfUser(db.read, request.signedIn.user.id, now()) }),
    )

    app.post(
      '/api/ssh/hosts/:id/sessions/end',
      {
        onRequest: alsoLesser('anything', signedIn(services)),
        schema: {
          tags,
          summary: 'End sessions on hosts',
          description:
            'Revokes the certificate that a session on this host began with, so that every session that began with it ends, on all hosts. Needs ssh:cert:revoke, unless the certificate is your own.',
          params: ById,
          body: Type.Object({ serial: Type.String({ pattern: '^[1-9][0-9]{0,19}$' }) }, strict),
          response: { 200: Success, ...failures(400, 401, 403, 404, 503) },
        },
      },
      async (request) => {
        const { params, body } = request
        await endSessions(services, actorOf(services, request), { hostId: params.id, serial: body.serial })
        return success
      },
    )
  }
