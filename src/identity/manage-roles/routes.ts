import { Type } from 'typebox'
import {
  ById,
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
import { describePermission, isPermission, PERMISSIONS } from '../../vocabulary/permissions.ts'
import type { IdentityServices } from '../access-events.ts'
import { Attributes } from '../roles/attributes.ts'
import { requireRole, listRoles } from '../roles/role-store.ts'
import {
  PermissionEntry,
  PermissionName,
  PlannedDemand,
  Principals,
  RequiredOfHolders,
  Role,
  RoleDescription,
  RoleName,
} from '../roles/role.ts'
import { RoleSsh } from '../roles/ssh-rules.ts'
import { actorOf } from '../sessions/actor.ts'
import { needs } from '../sessions/guards.ts'
import { changeRole, createRole, grantPermission, removeRole, revokePermission } from './write-roles.ts'

const tags = ['Roles']
const OneRole = Type.Object({ role: Role })
const Granted = Type.Object({ permissions: Type.Array(PermissionEntry) })
const PermissionId = Type.String({ minLength: 1, maxLength: 64 })

export const roleRoutes =
  (services: IdentityServices): Routes =>
  async (app) => {
    app.get(
      '/api/admin/roles',
      {
        onRequest: needs(services, 'roles:read'),
        schema: {
          tags,
          summary: 'List roles',
          querystring: Type.Object(PageQuery, strict),
          response: {
            200: Type.Object({ roles: Type.Array(Role), nextCursor: NextCursor }),
            ...failures(400, 401, 403),
          },
        },
      },
      async ({ query }) => {
        const { items, nextCursor } = await listRoles(services.db.read, query.limit ?? 50, decodeCursor(query.cursor))
        return { roles: items, nextCursor }
      },
    )

    app.post(
      '/api/admin/roles',
      {
        onRequest: needs(services, 'roles:write', 'sometimes_fresh'),
        schema: {
          tags,
          summary: 'Create a role',
          description:
            'The caller has to hold its permissions, and its principals have to be those of the caller’s own certificates. An administrator may name any.',
          body: Type.Object(
            {
              name: RoleName,
              description: Type.Optional(RoleDescription),
              principals: Type.Optional(Principals),
              ssh: Type.Optional(Nullable(RoleSsh)),
              permissions: Type.Optional(
                Type.Array(PermissionName, { maxItems: PERMISSIONS.length, uniqueItems: true }),
              ),
              attributes: Type.Optional(Attributes),
              requires: Type.Optional(RequiredOfHolders),
            },
            strict,
          ),
          response: { 201: OneRole, ...failures(400, 401, 403, 409) },
        },
      },
      async (request, reply) => {
        const role = await createRole(services, request.body, actorOf(services, request))
        return reply.code(201).send({ role })
      },
    )

    app.get(
      '/api/admin/roles/:id',
      {
        onRequest: needs(services, 'roles:read'),
        schema: { tags, summary: 'A role', params: ById, response: { 200: OneRole, ...failures(401, 403, 404) } },
      },
      async ({ params }) => ({ role: await requireRole(services.db.read, params.id) }),
    )

    app.patch(
      '/api/admin/roles/:id',
      {
        onRequest: needs(services, 'roles:write', 'sometimes_fresh'),
        schema: {
          tags,
          summary: 'Change a role',
          description:
            'Its name, its description, the UNIX accounts it opens, the rules for SSH certificates and its attributes; the last two are replaced as a whole. The caller has to hold what the role holds, and what is added to it; rules can be loosened only as far as those of the caller’s own certificates, and only administrators change the name or the attributes of a role that they have. Certificates that name a principal which is taken out, or that the rules no longer allow, are revoked. Built-in roles keep their names. `requiresNext` is what it will demand from a time on: more than now, and within a year. Lowering `requires`, and weakening or postponing what is planned, needs a fresh sign-in; what the last administrator would have to meet, only a session sets that meets it (409).',
          params: ById,
          body: Type.Object(
            {
              name: Type.Optional(RoleName),
              description: Type.Optional(RoleDescription),
              principals: Type.Optional(Principals),
              attributes: Type.Optional(Attributes),
              requires: Type.Optional(RequiredOfHolders),
              requiresNext: Type.Optional(Nullable(PlannedDemand)),
              ssh: Type.Optional(Nullable(RoleSsh)),
            },
            strict,
          ),
          response: { 200: OneRole, ...failures(400, 401, 403, 404, 409) },
        },
      },
      async (request) => ({
        role: await changeRole(services, request.params.id, request.body, actorOf(services, request)),
      }),
    )

    app.delete(
      '/api/admin/roles/:id',
      {
        onRequest: needs(services, 'roles:write'),
        schema: {
          tags,
          summary: 'Delete a role',
          description:
            'Its holders lose it at once, and certificates that name what they lose are revoked. The caller has to hold what the role holds. Built-in roles stay.',
          params: ById,
          response: { 200: Success, ...failures(401, 403, 404, 409) },
        },
      },
      async (request) => {
        await removeRole(services, request.params.id, actorOf(services, request))
        return success
      },
    )

    app.get(
      '/api/admin/roles/:id/permissions',
      {
        onRequest: needs(services, 'roles:read'),
        schema: {
          tags,
          summary: 'Permissions of a role',
          params: ById,
          response: { 200: Granted, ...failures(401, 403, 404) },
        },
      },
      async ({ params }) => described(await requireRole(services.db.read, params.id)),
    )

    app.post(
      '/api/admin/roles/:id/permissions',
      {
        onRequest: needs(services, 'roles:write', 'fresh'),
        schema: {
          tags,
          summary: 'Grant a permission to a role',
          description: 'The caller has to hold it, and what the role holds. Granting it again changes nothing.',
          params: ById,
          body: Type.Object({ permissionId: PermissionId }, strict),
          response: { 200: Granted, ...failures(400, 401, 403, 404) },
        },
      },
      async (request) =>
        described(
          await grantPermission(services, request.params.id, request.body.permissionId, actorOf(services, request)),
        ),
    )

    app.delete(
      '/api/admin/roles/:id/permissions/:permissionId',
      {
        onRequest: needs(services, 'roles:write'),
        schema: {
          tags,
          summary: 'Revoke a permission from a role',
          description:
            "The caller has to hold what the role holds. The administrator's role has every permission and keeps it.",
          params: Type.Object({ ...ById.properties, permissionId: PermissionId }),
          response: { 200: Success, ...failures(401, 403, 404, 409) },
        },
      },
      async (request) => {
        const { id, permissionId } = request.params
        await revokePermission(services, id, permissionId, actorOf(services, request))
        return success
      },
    )

    app.get(
      '/api/admin/permissions',
      {
        onRequest: needs(services, 'permissions:read'),
        schema: {
          tags,
          summary: 'The permission catalogue',
          response: { 200: Granted, ...failures(401, 403) },
        },
      },
      async () => ({ permissions: PERMISSIONS.map(describePermission) }),
    )
  }

const described = ({ permissions }: Role) => ({ permissions: permissions.filter(isPermission).map(describePermission) })
