import { registerDeviceClient, startDevice } from '../../oauth/device/devices.ts'
import { createSite } from '../../proxy/visits.ts'
import { ORIGIN } from '../../support/app.ts'
import { authorizeUrl, getTokens, newPkce, registerApplication } from '../../support/application.ts'
import { signedInPerson, type SignedInPerson } from '../../support/people.ts'
import { form, picture } from '../account/upload.ts'
import { type ChangeTest, uniqueName, admin } from './held-back-change.ts'

/** What is changed of applications, and of the access to them. */
export const APPLICATION_CHANGES: Record<string, ChangeTest> = {
  'POST /oauth/clients': {
    permission: 'oauth_clients:write',
    prepare: async () => ({
      path: '/oauth/clients',
      body: {
        name: uniqueName('App'),
        clientType: 'public',
        redirectUris: ['https://app.example/cb'],
        scopes: ['openid'],
      },
    }),
  },
  'PATCH /oauth/clients/{clientId}': {
    permission: 'oauth_clients:write',
    prepare: async (app) => ({
      path: `/oauth/clients/${(await registerApplication(app)).clientId}`,
      body: { name: 'Changed' },
    }),
  },
  'DELETE /oauth/clients/{clientId}': {
    permission: 'oauth_clients:write',
    prepare: async (app) => ({ path: `/oauth/clients/${(await registerApplication(app)).clientId}` }),
  },
  'POST /oauth/clients/{clientId}/secret': {
    permission: 'oauth_clients:write',
    prepare: async (app) => ({ path: `/oauth/clients/${(await registerApplication(app)).clientId}/secret` }),
  },
  'PUT /oauth/clients/{clientId}/logo': {
    permission: 'oauth_clients:write',
    prepare: async (app) => ({
      path: `/oauth/clients/${(await registerApplication(app)).clientId}/logo`,
      body: form({ bytes: await picture() }),
    }),
  },
  'DELETE /oauth/clients/{clientId}/logo': {
    permission: 'oauth_clients:write',
    prepare: async (app) => ({ path: `/oauth/clients/${(await registerApplication(app)).clientId}/logo` }),
  },
  'POST /oauth/clients/{clientId}/preview': {
    permission: 'oauth_clients:read',
    prepare: async (app, { user }) => ({
      path: `/oauth/clients/${(await registerApplication(app)).clientId}/preview`,
      body: { userId: user.id },
    }),
  },
  'POST /oauth/clients/{clientId}/trial': {
    permission: 'oauth_clients:read',
    prepare: async (app) => ({ path: `/oauth/clients/${(await registerApplication(app)).clientId}/trial` }),
  },
  'POST /oauth/clients/{clientId}/trial/result': {
    permission: 'oauth_clients:read',
    prepare: async (app) => ({
      path: `/oauth/clients/${(await registerApplication(app)).clientId}/trial/result`,
      body: { code: 'ac_unknown', codeVerifier: 'unknown' },
    }),
  },
  'POST /oauth/clients/{clientId}/try-out': {
    permission: 'oauth_clients:read',
    prepare: async () => ({
      path: `/oauth/clients/${(await createSite(admin)).id}/try-out`,
      body: { address: '/' },
    }),
  },
  'POST /api/account/app-passwords': {
    prepare: async () => ({
      path: '/api/account/app-passwords',
      body: { name: 'Phone', client_id: (await createSite(admin, { basic: true })).id },
    }),
  },
  'DELETE /api/account/app-passwords/{id}': {
    prepare: async (_app, person) => ({ path: `/api/account/app-passwords/${await addAppPassword(person)}` }),
  },
  'DELETE /api/admin/users/{userId}/app-passwords/{appPasswordId}': {
    permission: 'users:lifecycle',
    async prepare(app) {
      const other = await signedInPerson(app)
      return { path: `/api/admin/users/${other.user.id}/app-passwords/${await addAppPassword(other)}` }
    },
  },
  'POST /oauth/approve': {
    async prepare(app) {
      const url = new URL(authorizeUrl(await registerApplication(app), newPkce()), ORIGIN)
      return { path: '/oauth/approve', body: Object.fromEntries(url.searchParams) }
    },
  },
  'POST /oauth/device/approve': {
    async prepare(app) {
      const { user_code } = await startDevice(app, await registerDeviceClient(app))
      return { path: '/oauth/device/approve', body: { user_code } }
    },
  },
  'DELETE /api/account/oauth/grants/{clientId}': {
    async prepare(app, person) {
      const application = await registerApplication(app)
      await getTokens(app, person, application)
      return { path: `/api/account/oauth/grants/${application.clientId}` }
    },
  },
}

async function addAppPassword(person: SignedInPerson): Promise<string> {
  const { id } = await createSite(admin, { basic: true })
  return (await person.post('/api/account/app-passwords', { name: 'Phone', client_id: id })).json().appPassword.id
}
