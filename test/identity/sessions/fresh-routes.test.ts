import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import type { Response } from 'light-my-request'
import { sshTokens } from '../../oauth/device/devices.ts'
import { call } from '../../oauth/device/ssh-client-calls.ts'
import { newPublicKey, signInCertificateUser } from '../../ssh/public-keys.ts'
import { sharedApp } from '../../support/app.ts'
import { onMainEngine } from '../../support/engines.ts'
import { signedInPerson, type SignedInPerson } from '../../support/people.ts'

const PASSWORD = 'four unusual words here'
const OTHER_PASSWORD = 'another four unusual words entirely'
const FRESH_MS = 10 * 60_000
const id = '00000000-0000-4000-8000-000000000000'

/** Every route that needs a fresh sign-in, while the setting is on unless it says otherwise. */
const FRESH = {
  'DELETE /api/account/totp': 'fresh',
  'DELETE /api/admin/settings/logo': 'fresh',
  'DELETE /api/admin/users/{userId}': 'fresh',
  'DELETE /api/admin/users/{userId}/passkeys/{passkeyId}': 'fresh',
  'DELETE /api/admin/users/{userId}/totp': 'fresh',
  'DELETE /api/passkeys/{id}': 'fresh',
  'PATCH /api/admin/roles/{id}': 'sometimes_fresh',
  'PATCH /api/admin/settings': 'fresh',
  'PATCH /api/admin/webhooks/{id}': 'sometimes_fresh',
  'POST /api/account/app-passwords': 'always_fresh',
  'POST /api/account/password': 'sometimes_fresh',
  'POST /api/account/recovery-codes': 'fresh',
  'POST /api/account/totp': 'fresh',
  'POST /api/account/totp/confirm': 'fresh',
  'POST /api/admin/bootstrap': 'fresh',
  'POST /api/admin/roles': 'sometimes_fresh',
  'POST /api/admin/roles/{id}/permissions': 'fresh',
  'POST /api/admin/users': 'sometimes_fresh',
  'POST /api/admin/users/batch': 'sometimes_fresh',
  'POST /api/admin/users/import': 'sometimes_fresh',
  'POST /api/admin/users/{userId}/lifecycle': 'sometimes_fresh',
  'POST /api/admin/users/{userId}/roles': 'sometimes_fresh',
  'POST /api/admin/users/{userId}/setup-link': 'fresh',
  'POST /api/admin/webhooks': 'fresh',
  'POST /api/admin/webhooks/{id}/secret': 'fresh',
  'POST /api/passkeys/register/options': 'fresh',
  'POST /api/passkeys/register/verify': 'fresh',
  'POST /api/ssh/hosts': 'fresh',
  'POST /api/ssh/hosts/{id}/enrollment': 'fresh',
  'POST /api/ssh/keys': 'sometimes_fresh',
  'POST /oauth/clients': 'sometimes_fresh',
  'POST /oauth/clients/{clientId}/secret': 'fresh',
  'PUT /api/admin/settings/logo': 'fresh',
}

/** Every route that ends something. An open session is always enough for these. */
const ENDING = [
  'DELETE /api/account',
  'DELETE /api/account/app-passwords/{id}',
  'DELETE /api/account/oauth/grants/{clientId}',
  'DELETE /api/account/profile/avatar',
  'DELETE /api/admin/roles/{id}',
  'DELETE /api/admin/roles/{id}/permissions/{permissionId}',
  'DELETE /api/admin/users/{userId}/app-passwords/{appPasswordId}',
  'DELETE /api/admin/users/{userId}/lifecycle/{actionId}',
  'DELETE /api/admin/users/{userId}/roles/{roleId}',
  'DELETE /api/admin/users/{userId}/sessions/{sessionId}',
  'DELETE /api/admin/webhooks/{id}',
  'DELETE /api/ssh/hosts/{id}',
  'DELETE /api/ssh/keys/{id}',
  'DELETE /oauth/clients/{clientId}',
  'DELETE /oauth/clients/{clientId}/logo',
  'POST /api/admin/users/{userId}/sign-out',
  'POST /api/auth/sessions/revoke-all',
  'POST /api/auth/sessions/{id}/revoke',
  'POST /api/notifications/{id}/not-me',
  'POST /api/ssh/certs/{id}/revoke',
  'POST /api/ssh/hosts/{id}/sessions/end',
]

onMainEngine('routes that need a fresh sign-in', (engine) => {
  const app = sharedApp({ engine })
  let admin: SignedInPerson
  let roleId: string
  let powerlessId: string
  let demandingId: string
  before(async () => {
    admin = await signedInPerson(app(), { admin: true, password: PASSWORD })
    assert.equal((await admin.patch('/api/admin/settings', { freshSignIn: true })).statusCode, 200)
    const roleOf = async (permissions: string[]) => {
      const answer = await admin.post('/api/admin/roles', { name: `with ${permissions.length}`, permissions })
      return answer.json<{ role: { id: string } }>().role.id
    }
    roleId = await roleOf(['users:read'])
    powerlessId = await roleOf([])
    const demanding = await admin.post('/api/admin/roles', { name: 'demanding', requires: 'second_step' })
    demandingId = demanding.json<{ role: { id: string } }>().role.id
  })
  const needsFreshness = (answer: Response) => answer.json<{ code?: string }>().code === 'fresh_sign_in_needed'
  const send = (person: SignedInPerson, route: string, body?: unknown) => {
    const [method = '', template = ''] = route.split(' ')
    const send = person[method.toLowerCase() as 'post']
    return send(template.replaceAll(/\{\w+\}/g, id), body)
  }
  const bringAbout = async (isFresh: boolean) => {
    app().clock.advance(FRESH_MS)
    if (isFresh) assert.equal((await admin.post('/api/auth/fresh', { password: PASSWORD })).statusCode, 200)
  }

  test('are these, and no route that ends something is among them', async () => {
    const { paths } = (await app().app.inject('/openapi.json')).json<{
      paths: Record<string, Record<string, { 'x-fresh-sign-in'?: string; security?: object[] }>>
    }>()
    const routes = Object.entries(paths).flatMap(([path, operations]) =>
      Object.entries(operations).map(([method, operation]) => ({
        name: `${method.toUpperCase()} ${path}`,
        freshness: operation['x-fresh-sign-in'],
        isOfSession: operation.security?.some((scheme) => 'session' in scheme) ?? false,
      })),
    )
    const marked = routes.filter(({ freshness }) => freshness !== undefined)
    assert.deepEqual(Object.fromEntries(marked.map(({ name, freshness }) => [name, freshness])), FRESH)
    const ends = ({ name, isOfSession }: (typeof routes)[number]) =>
      isOfSession && (name.startsWith('DELETE ') || /\/(end|revoke|revoke-all|sign-out|not-me)$/.test(name))
    const ending = routes.filter((route) => ends(route) && !(route.name in FRESH)).map(({ name }) => name)
    assert.deepEqual(ending.toSorted(), ENDING)
  })

  for (const [route, freshness] of Object.entries(FRESH)) {
    if (freshness === 'sometimes_fresh') continue
    test(`${route} is refused before its body is read, unless the session was proved a moment ago`, async () => {
      await bringAbout(false)
      const refused = await send(admin, route, {})
      assert.equal(refused.statusCode, 403, refused.body)
      assert.deepEqual(refused.json(), {
        error: 'Confirm once more that it is you, and then try again.',
        code: 'fresh_sign_in_needed',
        reason: 'fresh_sign_in_needed',
        methods: ['password'],
      })
      await bringAbout(true)
      const answer = await send(admin, route, {})
      assert.ok(!needsFreshness(answer), answer.body)
    })
  }

  for (const route of ENDING) {
    test(`${route} needs no fresh sign-in`, async () => {
      await bringAbout(false)
      // What gives the proof itself, or asks for it, answers 400; what is not there 404.
      const answer = await send(admin, route, {})
      assert.ok(!needsFreshness(answer) && [200, 400, 404].includes(answer.statusCode), answer.body)
      if (route.endsWith('revoke-all')) assert.equal(answer.statusCode, 200)
    })
  }

  /** What of a route needs a fresh sign-in, and what does not. */
  const SOMETIMES: Record<string, (person: string) => { fresh: [string, unknown?][]; free: [string, unknown?][] }> = {
    'PATCH /api/admin/roles/{id}': () => ({
      fresh: [[`PATCH /api/admin/roles/${demandingId}`, { requires: 'none' }]],
      free: [
        [`PATCH /api/admin/roles/${demandingId}`, { requires: 'second_step', description: 'strong' }],
        [`PATCH /api/admin/roles/${powerlessId}`, { requires: 'passkey' }],
      ],
    }),
    'PATCH /api/admin/webhooks/{id}': () => ({
      fresh: [
        ['PATCH /api/admin/webhooks/{id}', { enabled: true }],
        ['PATCH /api/admin/webhooks/{id}', { enabled: false, url: 'https://elsewhere.example/' }],
      ],
      free: [['PATCH /api/admin/webhooks/{id}', { enabled: false }]],
    }),
    'POST /api/admin/roles': () => ({
      fresh: [['POST /api/admin/roles', { name: 'strong', permissions: ['users:read'] }]],
      free: [['POST /api/admin/roles', { name: 'weak' }]],
    }),
    'POST /api/admin/users': () => ({
      fresh: [
        ['POST /api/admin/users', { email: 'a1@example.com', password: 'another four unusual words' }],
        ['POST /api/admin/users', { email: 'a2@example.com', roleIds: [roleId] }],
      ],
      free: [['POST /api/admin/users', { email: 'a3@example.com', roleIds: [powerlessId] }]],
    }),
    'POST /api/admin/users/batch': (userId) => {
      const batch = (body: object): [string, unknown] => ['POST /api/admin/users/batch', { ids: [userId], ...body }]
      return {
        fresh: [batch({ action: 'enable' }), batch({ action: 'assign_role', roleId })],
        free: [batch({ action: 'assign_role', roleId: powerlessId }), batch({ action: 'disable' })],
      }
    },
    'POST /api/admin/users/import': () => {
      const row = (roles: string[]): [string, unknown] => [
        'POST /api/admin/users/import',
        { rows: [{ email: `row${roles[0]?.length}@example.com`, roles }, { email: 'other@example.com' }] },
      ]
      return { fresh: [row(['with 1']), row(['admin'])], free: [row(['with 0'])] }
    },
    'POST /api/admin/users/{userId}/lifecycle': (userId) => {
      const act = (body: object): [string, unknown] => [`POST /api/admin/users/${userId}/lifecycle`, body]
      const executeAt = app().clock.now() + 3_600_000
      return {
        fresh: [act({ action: 'enable' }), act({ action: 'enable', executeAt })],
        free: [act({ action: 'disable', executeAt }), act({ action: 'disable' })],
      }
    },
    'POST /api/admin/users/{userId}/roles': (userId) => ({
      fresh: [[`POST /api/admin/users/${userId}/roles`, { roleId }]],
      free: [[`POST /api/admin/users/${userId}/roles`, { roleId: powerlessId }]],
    }),
    'POST /api/ssh/keys': () => ({
      fresh: [['POST /api/ssh/keys', { name: 'laptop', publicKey: newPublicKey() }]],
      free: [['POST /api/ssh/keys', { name: 'laptop', publicKey: newPublicKey(), ephemeral: true }]],
    }),
    'POST /oauth/clients': () => {
      const register = (body: object): [string, unknown] => ['POST /oauth/clients', { name: 'An app', ...body }]
      const oauth = { redirectUris: ['https://app.example/cb'], scopes: ['openid'] }
      return {
        fresh: [register({ clientType: 'confidential', ...oauth })],
        free: [
          register({ clientType: 'public', ...oauth }),
          register({ clientType: 'proxied', hosts: ['wiki.example.com'] }),
        ],
      }
    },
    'POST /api/account/password': () => {
      const change = (currentPassword: string, newPassword: string): [string, unknown] => [
        'POST /api/account/password',
        { currentPassword, newPassword },
      ]
      return { fresh: [change(PASSWORD, OTHER_PASSWORD), change(OTHER_PASSWORD, PASSWORD)], free: [] }
    },
  }

  test('by what is asked for are all tried', () => {
    const sometimes = Object.entries(FRESH).filter(([, freshness]) => freshness === 'sometimes_fresh')
    assert.deepEqual(
      Object.keys(SOMETIMES).toSorted(),
      sometimes.map(([route]) => route),
    )
  })

  for (const [route, requests] of Object.entries(SOMETIMES)) {
    test(`${route} needs one for what gives access, and for nothing else`, async () => {
      const person = (await signedInPerson(app())).user.id
      const { fresh, free } = requests(person)
      await bringAbout(false)
      for (const [path, body] of fresh) {
        const refused = await send(admin, path, body)
        assert.ok(refused.statusCode === 403 && needsFreshness(refused), refused.body)
      }
      for (const [path, body] of free) {
        const answer = await send(admin, path, body)
        assert.ok([200, 201, 404].includes(answer.statusCode), answer.body)
        assert.ok(!answer.body.includes('refused'), answer.body)
      }
      await bringAbout(true)
      for (const [path, body] of fresh) {
        const answer = await send(admin, path, body)
        assert.ok([200, 201, 404].includes(answer.statusCode), answer.body)
        assert.ok(!answer.body.includes('"refused"'), answer.body)
      }
    })
  }

  test('refuse an access token a key that stays, and give it an ephemeral one', async () => {
    const person = await signInCertificateUser(app())
    const { access_token: token } = await sshTokens(app(), person)
    const save = (ephemeral: boolean) =>
      call(app(), token, 'POST', '/api/ssh/keys', { body: { name: 'k', publicKey: newPublicKey(), ephemeral } })
    assert.ok(needsFreshness(await save(false)))
    assert.equal((await save(true)).statusCode, 201)
  })

  test('want the permission before the fresh sign-in', async () => {
    const nobody = await signedInPerson(app())
    app().clock.advance(FRESH_MS)
    const refused = await nobody.delete(`/api/admin/users/${id}`)
    assert.equal(refused.json<{ code: string }>().code, 'forbidden')
  })

  test('need none with the setting off, apart from app passwords', async () => {
    await bringAbout(true)
    assert.equal((await admin.patch('/api/admin/settings', { freshSignIn: false })).statusCode, 200)
    await bringAbout(false)
    for (const [route, freshness] of Object.entries(FRESH)) {
      const answer = await send(admin, route, {})
      assert.equal(needsFreshness(answer), freshness === 'always_fresh', `${route} ${answer.body}`)
    }
  })
})
