import { Type } from 'typebox'
import { needs, signedIn } from '../../identity/sessions/guards.ts'
import { refuseUnknownUser } from '../../identity/users/user-store.ts'
import { Nullable, type Routes, failures } from '../../platform/http/contracts.ts'
import { toVisible } from '../../platform/http/visible-name.ts'
import type { Provider } from '../provider.ts'
import { listUsableApps, listUserApps } from './app-store.ts'

const UsableApp = Type.Object(
  {
    client_id: Type.String(),
    name: Type.String(),
    logoUrl: Nullable(Type.String()),
    launchUrl: Type.String(),
    authorized: Type.Boolean({ description: 'Whether you have granted it something.' }),
  },
  { title: 'UsableApp' },
)

const UserApp = Type.Object(
  {
    client_id: Type.String(),
    name: Type.String(),
    logoUrl: Nullable(Type.String()),
    everybody: Type.Boolean({ description: 'Whether it is open to everybody.' }),
    roles: Type.Array(Type.Object({ id: Type.String(), name: Type.String() }), {
      description: 'Otherwise: the roles of this user that it admits.',
    }),
    authorized: Type.Boolean({ description: 'Whether the user has granted it something.' }),
  },
  { title: 'UserApp' },
)

/** The applications that the signed-in user may open, and those that another user may use. */
export const usableAppRoutes =
  (provider: Provider): Routes =>
  async (app) => {
    app.get(
      '/api/account/apps',
      {
        onRequest: signedIn(provider),
        schema: {
          tags: ['Account'],
          summary: 'Applications that you may use',
          description: 'Those that have a launch URL, by name.',
          response: { 200: Type.Object({ apps: Type.Array(UsableApp) }), ...failures(401) },
        },
      },
      async (request) => {
        const apps = await listUsableApps(provider.db.read, request.signedIn.user.id)
        return { apps: apps.map((each) => Object.assign(each, { name: toVisible(each.name) })) }
      },
    )

    app.get(
      '/api/admin/users/:userId/apps',
      {
        onRequest: needs(provider, 'users:read'),
        schema: {
          tags: ['Users'],
          summary: 'Applications that a user may use, and why',
          description:
            'By name, at most 1,000. Which of them the user has granted something, the access of the user says in full.',
          params: Type.Object({ userId: Type.String({ minLength: 1, maxLength: 64 }) }),
          response: { 200: Type.Object({ apps: Type.Array(UserApp) }), ...failures(401, 403, 404) },
        },
      },
      async ({ params }) => {
        await refuseUnknownUser(provider.db.read, params.userId)
        const apps = await listUserApps(provider.db.read, params.userId)
        return { apps: apps.map((each) => Object.assign(each, { name: toVisible(each.name) })) }
      },
    )
  }
