import assert from 'node:assert/strict'
import { test } from 'node:test'
import { actorOf } from '../../../src/identity/sessions/actor.ts'
import { needs, signedIn, signedInAccount } from '../../../src/identity/sessions/guards.ts'
import type { Routes } from '../../../src/platform/http/contracts.ts'
import type { Services } from '../../../src/platform/services.ts'

// Checked by the compiler: if an expected error does not occur, `npm run check` fails.
const routes =
  (services: Services): Routes =>
  async (app) => {
    app.get('/guarded', { onRequest: signedIn(services) }, async (request) => [
      request.signedIn.user.id,
      actorOf(services, request).id,
      // @ts-expect-error This guard does not read the permissions.
      request.signedIn.permissions,
    ])
    app.get('/permitted', { onRequest: needs(services, 'users:read') }, async ({ signedIn: { user } }) => user.id)
    app.get('/account', { onRequest: signedInAccount(services) }, async ({ signedIn: { permissions } }) => permissions)
    // @ts-expect-error There is no such permission.
    app.get('/misspelt', { onRequest: needs(services, 'users:reed') }, async () => 'answer')
    app.get('/open', async (request) => [
      request.signedIn?.user.id,
      // @ts-expect-error No guard has set it.
      request.signedIn.user.id,
      // @ts-expect-error No guard has set it.
      actorOf(services, request),
    ])
    app.get('/hooked', { onRequest: async () => {} }, async (request) =>
      // @ts-expect-error A hook that is not a guard does not set it.
      actorOf(services, request),
    )
  }

test('request.signedIn is there by type behind a guard, and nowhere else', () => {
  assert.equal(typeof routes, 'function')
})
