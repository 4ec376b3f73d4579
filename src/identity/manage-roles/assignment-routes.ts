import { Type } from 'typebox'
import { failures, type Routes, strict } from '../../platform/http/contracts.ts'
import type { IdentityServices } from '../access-events.ts'
import { listRolesOf } from '../roles/role-store.ts'
import { Role } from '../roles/role.ts'
import { actorOf } from '../sessions/actor.ts'
import { alsoLesser, needs, signedIn } from '../sessions/guards.ts'
import { refuseUnknownUser } from '../users/user-store.ts'
import { User } from '../users/user.ts'
import { assignRole, unassignRole } from './assign-role.ts'
import { bootstrap } from './make-administrator.ts'

const tags = ['Roles']
const Id = Type.String({ minLength: 1, maxLength: 64 })
const OfUser = Type.Object({ userId: Id })
const Assigned = Type.Object({ roles: Type.Array(Role) })
const Changed = Type.Object({ success: Type.Literal(true), roles: Type.Array(Role) })

/** Who has which role, and how the first administrator is made. */
export const assignmentRoutes =
  (services: IdentityServices): Routes =>
  async (app) => {
    app.get(
      '/api/admin/users/:userId/roles',
      {
        onRequest: needs(services, 'roles:read'),
        schema: {
          tags,
          summary: 'Roles of a user',
          params: OfUser,
          response: { 200: Assigned, ...failures(401, 403, 404) },
        },
      },
      async ({ params }) => {
        await refuseUnknownUser(services.db.read, params.userId)
        return { roles: await listRolesOf(services.db.read, params.userId) }
      },
    )

    app.post(
      '/api/admin/users/:userId/roles',
      {
        onRequest: needs(services, 'roles:assign', 'sometimes_fresh'),
        schema: {
          tags,
          summary: 'Give a role to a user',
          description:
            'The caller has to hold everything that the role holds. Only an administrator can take a role for themselves. It takes effect with the next request.',
          params: OfUser,
          body: Type.Object({ roleId: Id }, strict),
          response: { 200: Changed, ...failures(400, 401, 403, 404) },
        },
      },
      async (request) => ({
        success: true as const,
        roles: await assignRole(services, { ...request.params, ...request.body }, actorOf(services, request)),
      }),
    )

    app.delete(
      '/api/admin/users/:userId/roles/:roleId',
      {
        onRequest: alsoLesser('anything', needs(services, 'roles:assign')),
        schema: {
          tags,
          summary: 'Take a role from a user',
          description:
            'It takes effect with the next request, and certificates that name what is lost are revoked. The last active administrator stays one.',
          params: Type.Object({ userId: Id, roleId: Id }),
          response: { 200: Changed, ...failures(401, 403, 404, 409) },
        },
      },
      async (request) => ({
        success: true as const,
        roles: await unassignRole(services, request.params, actorOf(services, request)),
      }),
    )

    app.post(
      '/api/admin/bootstrap',
      {
        onRequest: signedIn(services, 'fresh'),
        schema: {
          tags: ['Administration'],
          summary: 'Become the first administrator',
          description: 'Works with the bootstrap secret, while there is no administrator.',
          body: Type.Object(
            {
              secret: Type.String({ minLength: 1, maxLength: 512 }),
              freshSignIn: Type.Optional(
                Type.Boolean({ description: 'Turns this setting on or off too, as the page that sets it up does.' }),
              ),
            },
            strict,
          ),
          response: {
            200: Type.Object({ success: Type.Literal(true), user: User }),
            ...failures(400, 401, 403, 409, 429),
          },
        },
      },
      async (request) => {
        const user = await bootstrap(services, request.body, actorOf(services, request))
        return { success: true as const, user }
      },
    )
  }
