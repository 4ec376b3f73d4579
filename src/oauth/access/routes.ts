import { Type } from 'typebox'
import { failures, Nullable, type Routes } from '../../http/contracts.ts'
import { toVisible } from '../../http/visible-name.ts'
import { signedIn } from '../../sessions/guards.ts'
import type { Provider } from '../provider.ts'
import { listUsableApps } from './usable-app-store.ts'

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

/** The applications that the signed-in user may open. */
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
  }
