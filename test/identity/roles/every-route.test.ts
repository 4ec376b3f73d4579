import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { isDeepStrictEqual } from 'node:util'
import type { Response } from 'light-my-request'
import type { Permission } from '../../../src/vocabulary/permissions.ts'
import { onMainEngine } from '../../support/engines.ts'
import { admin, allows, app, give, managerWith, startManagers } from './managers.ts'
import { reachOf } from './reach.ts'
import { type Attempt, ROWS } from './route-attempts.ts'
import { makeWorld, type World } from './world.ts'

/** Routes that people with a permission may call, and that change nothing of what this is about, with the reason. */
const OTHERS: Record<string, string> = {
  'DELETE /api/admin/settings/logo': 'A picture.',
  'DELETE /api/admin/users/{userId}/app-passwords/{appPasswordId}': 'Ends something.',
  'DELETE /api/admin/users/{userId}/lifecycle/{actionId}': 'Leaves an account as it is.',
  'DELETE /api/admin/users/{userId}/passkeys/{passkeyId}': 'Ends something.',
  'DELETE /api/admin/users/{userId}/sessions/{sessionId}': 'Ends something.',
  'DELETE /api/admin/users/{userId}/totp': 'Ends something.',
  'DELETE /api/admin/webhooks/{id}': 'Lets nobody in.',
  'DELETE /api/ssh/keys/{id}': 'Ends something.',
  'DELETE /oauth/clients/{clientId}/logo': 'A picture.',
  'PATCH /api/admin/webhooks/{id}': 'Lets nobody in.',
  'POST /api/admin/bootstrap': 'Makes the first administrator, with a secret.',
  'POST /api/admin/settings/mail-test': 'Sends a mail.',
  'POST /api/admin/users/{userId}/invitation': 'Sends a link to another person.',
  'POST /api/admin/users/{userId}/lifecycle/preview': 'Changes nothing.',
  'POST /api/admin/users/{userId}/password-reset': 'Sends a link to another person.',
  'POST /api/admin/users/{userId}/setup-link': 'Sends a link to another person.',
  'POST /api/admin/users/{userId}/sign-out': 'Ends something.',
  'POST /api/admin/webhooks': 'Lets nobody in.',
  'POST /api/admin/webhooks/{id}/deliveries/{deliveryId}/redeliver': 'Lets nobody in.',
  'POST /api/admin/webhooks/{id}/secret': 'Lets nobody in.',
  'POST /api/admin/webhooks/{id}/test': 'Lets nobody in.',
  'POST /api/ssh/certs/issue': 'Says only what its owner has.',
  'POST /api/ssh/certs/{id}/revoke': 'Ends something.',
  'POST /api/ssh/hosts/{id}/enrollment': 'Lets a host in, and no person.',
  'POST /api/ssh/hosts/{id}/sessions/end': 'Ends something.',
  'POST /api/ssh/keys': 'A key of whoever asks.',
  'POST /oauth/approve': 'Consents for whoever asks.',
  'POST /oauth/clients/{clientId}/preview': 'Changes nothing.',
  'POST /oauth/clients/{clientId}/secret': 'Lets an application in, and no person.',
  'POST /oauth/clients/{clientId}/trial': 'Changes nothing.',
  'POST /oauth/clients/{clientId}/trial/result': 'Changes nothing.',
  'POST /oauth/clients/{clientId}/try-out': 'Changes nothing.',
  'POST /oauth/device/approve': 'Consents for whoever asks.',
  'PUT /api/admin/settings/logo': 'A picture.',
  'PUT /oauth/clients/{clientId}/logo': 'A picture.',
}

/** Need no permission: they change the account, the sessions and the keys of whoever calls them, who proves what it takes. */
const OF_ONESELF = /^\w+ \/api\/(account|auth|passkeys|notifications)(\/|$)/

onMainEngine('a route that changes roles, people, applications, sites or hosts', (engine) => {
  startManagers(engine)
  let world: World
  before(async () => {
    world = await makeWorld()
  })

  interface Route {
    name: string
    permission: Permission | undefined
  }

  const listRoutes = async (): Promise<Route[]> => {
    const { paths } = (await app.app.inject('/openapi.json')).json<{
      paths: Record<string, Record<string, { 'x-permission'?: Permission; security?: object[] }>>
    }>()
    return Object.entries(paths).flatMap(([path, operations]) =>
      Object.entries(operations).flatMap(([method, { 'x-permission': permission, security = [] }]) =>
        method !== 'get' && (permission !== undefined || security.some((scheme) => 'session' in scheme))
          ? [{ name: `${method.toUpperCase()} ${path}`, permission }]
          : [],
      ),
    )
  }

  test('is tried here, or does something else', async () => {
    const names = (await listRoutes()).map(({ name }) => name).filter((name) => !OF_ONESELF.test(name))
    assert.deepEqual(names.toSorted(), [...Object.keys(ROWS), ...Object.keys(OTHERS)].toSorted())
    for (const { name, permission } of await listRoutes())
      if (OF_ONESELF.test(name)) assert.equal(permission, undefined, name)
  })

  /** 403, also where many are changed at once and each is answered for. */
  const statusOf = (answer: Response): number => {
    const { results } = answer.json<{ results?: { outcome: string }[] }>()
    return results?.every(({ outcome }) => outcome === 'refused') ? 403 : answer.statusCode
  }

  for (const [name, { also = [], tries }] of Object.entries(ROWS)) {
    test(`lets nobody in anywhere by ${name}, and calls nobody otherwise`, async () => {
      const permission = (await listRoutes()).find((route) => route.name === name)?.permission
      const manager = await managerWith(...also, ...(permission ? [permission] : []))
      await give(manager, world.mine)
      const { refused, harmless } = await tries(world, manager)
      const send = async ([what, path, body]: Attempt) => {
        const [method = '', template = ''] = name.split(' ')
        const url = template.replaceAll(/\{(\w+)\}/g, (_, key: string) => path[key] ?? assert.fail(`${what} ${key}`))
        return manager[method.toLowerCase() as 'post'](url, body)
      }
      const before = await reachOf(app, manager, world.ends)
      for (const attempt of refused) {
        const answer = await send(attempt)
        const [what, , , status = 403] = attempt
        assert.equal(statusOf(answer), status, `${what}: ${answer.body}`)
      }
      assert.deepEqual(await reachOf(app, manager, world.ends), before)
      for (const attempt of harmless) {
        const answer = await send(attempt)
        assert.ok(statusOf(answer) < 300, `${attempt[0]}: ${answer.statusCode} ${answer.body}`)
      }
      assert.deepEqual(await reachOf(app, manager, world.ends), before)
    })
  }

  // Otherwise the tests above would find nothing.
  test('shows by what is asked here whether somebody is let in, and as whom', async () => {
    const { mine, theirs, closed, open, namesake, ends } = world
    const person = await managerWith('ssh:cert:issue')
    await give(person, mine)
    const before = await reachOf(app, person, ends)
    const headers = { user: 'X-User', name: 'Remote-User' }
    for (const change of [
      () => admin.patch(`/oauth/clients/${closed.siteId}`, { allowedRoles: null }),
      () => admin.patch(`/oauth/clients/${open.siteId}`, { headers }),
      () => admin.patch(`/oauth/clients/${closed.applicationId}`, { allowedRoles: null }),
      () => admin.patch(`/api/admin/roles/${mine.id}`, { name: 'renamed' }),
      () => admin.patch(`/api/ssh/hosts/${closed.hostId}`, { allowedRoles: [theirs.id, mine.id] }),
      () => admin.delete(`/api/admin/users/${namesake.user.id}`),
    ])
      await allows('an administrator', change())
    const after = await reachOf(app, person, ends)
    const changed = after.flatMap((each, at) => (isDeepStrictEqual(each, before[at]) ? [] : [at]))
    assert.deepEqual(changed, [0, 1, 2, 4, 5, 6, 7])
  })
})
