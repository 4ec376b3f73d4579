import { needs } from '../../identity/sessions/guards.ts'
import { failures, type Routes } from '../../platform/http/contracts.ts'
import type { Services } from '../../platform/services.ts'
import { createOverview, Overview } from './overview.ts'

export const overviewRoutes =
  (services: Services): Routes =>
  async (app) => {
    const closing = new AbortController()
    app.addHook('onClose', async () => closing.abort())
    const overview = createOverview(services, closing.signal)

    app.get(
      '/api/admin/overview',
      {
        onRequest: needs(services, 'users:read'),
        schema: {
          tags: ['Administration'],
          summary: 'Figures about the service',
          description:
            'Counted at most every five seconds. Planned actions are null without users:lifecycle; those about the caller are left out.',
          response: { 200: Overview, ...failures(401, 403) },
        },
      },
      ({ signedIn }) => overview(signedIn.user.id),
    )
  }
