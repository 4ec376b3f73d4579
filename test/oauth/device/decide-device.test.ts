import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sharedApp, startApp } from '../../support/app.ts'
import { MAIN_ENGINE, onEachEngine } from '../../support/engines.ts'
import { anonymous, signedInPerson } from '../../support/people.ts'
import { askForDevice, decide, details, errorOf, poll, registerDeviceClient, startDevice } from './devices.ts'

onEachEngine('deciding about a device', (engine) => {
  const app = sharedApp({ engine })

  test('two people who decide at once: one of them does', async () => {
    const client = await registerDeviceClient(app())
    const { user_code, device_code } = await startDevice(app(), client)
    const people = [await signedInPerson(app()), await signedInPerson(app())]
    const statuses = await Promise.all(people.map(async (person) => (await decide(person, user_code)).statusCode))
    assert.deepEqual(
      statuses.toSorted((a, b) => a - b),
      [200, 404],
    )
    assert.equal((await poll(app(), client, device_code)).statusCode, 200)
  })

  // The rest is the same on every engine.
  if (engine !== MAIN_ENGINE) return

  test('the person sees the application, the scopes, and where the device asks from', async () => {
    const client = await registerDeviceClient(app())
    const person = await signedInPerson(app())
    const answer = await askForDevice(
      app(),
      client,
      { scope: 'openid email', device_name: '<b>Ada’s laptop</b>' },
      { 'user-agent': 'curl/8' },
    )
    const { user_code } = answer.json<{ user_code: string }>()
    const shown = await details(person, user_code)
    assert.equal(shown.statusCode, 200, shown.body)
    assert.deepEqual(shown.json(), {
      client_id: client.clientId,
      name: 'Television',
      scopes: ['openid', 'email'],
      user: { id: person.user.id, email: person.user.email, displayName: null, avatarUrl: null },
      device: {
        name: '<b>Ada’s laptop</b>',
        ipAddress: '127.0.0.1',
        geolocation: { country: null, city: null, region: null },
        userAgent: 'curl/8',
        sameNetwork: true,
      },
    })
  })

  test('a browser in another network than the device is told so', async (t) => {
    const own = await startApp(t, { engine, config: { trustProxy: 1 } })
    const client = await registerDeviceClient(own)
    const from = (address: string) => ({ 'x-forwarded-for': address })
    const started = (await askForDevice(own, client, {}, from('198.51.100.7'))).json<{ user_code: string }>()
    const person = await signedInPerson(own)
    const seen = async (address: string) => {
      const answer = await person.get(`/oauth/device/details?user_code=${started.user_code}`, undefined, from(address))
      return answer.json<{ device: { sameNetwork: boolean; ipAddress: string } }>().device
    }
    assert.deepEqual(
      [
        (await seen('198.51.100.9')).sameNetwork,
        (await seen('203.0.113.9')).sameNetwork,
        (await seen('2001:db8::1')).sameNetwork,
      ],
      [true, false, false],
    )
    assert.equal((await seen('203.0.113.9')).ipAddress, '198.51.100.7')
  })

  test('the code is read without regard to case, dash and spaces', async () => {
    const client = await registerDeviceClient(app())
    const person = await signedInPerson(app())
    const { user_code } = await startDevice(app(), client)
    for (const typed of [user_code.toLowerCase(), user_code.replace('-', ''), ` ${user_code.replace('-', ' – ')} `])
      assert.equal((await details(person, typed)).statusCode, 200, typed)
    assert.equal((await decide(person, user_code.replace('-', '').toLowerCase())).statusCode, 200)
  })

  test('somebody who may not use the application can’t let a device in, and one who loses the role gets no tokens', async () => {
    const admin = await signedInPerson(app(), { admin: true })
    const { role } = (await admin.post('/api/admin/roles', { name: `Viewers ${engine}` })).json<{
      role: { id: string }
    }>()
    const client = await registerDeviceClient(app(), { allowedRoles: [role.id] })
    const person = await signedInPerson(app())
    const { user_code, device_code } = await startDevice(app(), client)
    const refused = await decide(person, user_code)
    assert.deepEqual([refused.statusCode, refused.json<{ code: string }>().code], [403, 'not_allowed'])
    const roles = `/api/admin/users/${person.user.id}/roles`
    await admin.post(roles, { roleId: role.id })
    assert.equal((await decide(person, user_code)).statusCode, 200)
    await admin.delete(`${roles}/${role.id}`)
    assert.equal(await errorOf(poll(app(), client, device_code)), 'invalid_grant')
  })

  test('reading the details decides nothing', async () => {
    const client = await registerDeviceClient(app())
    const { user_code, device_code } = await startDevice(app(), client)
    await details(await signedInPerson(app()), user_code)
    assert.equal(await errorOf(poll(app(), client, device_code)), 'authorization_pending')
  })

  test('without a session both answer 401, and a page of another origin can’t approve', async () => {
    const client = await registerDeviceClient(app())
    const { user_code } = await startDevice(app(), client)
    const nobody = anonymous(app())
    assert.equal((await details(nobody, user_code)).statusCode, 401)
    assert.equal((await decide(nobody, user_code)).statusCode, 401)
    const person = await signedInPerson(app())
    const foreign = await person.post('/oauth/device/approve', { user_code }, { origin: 'https://evil.example' })
    assert.equal(foreign.statusCode, 403)
  })

  test('unknown, decided and malformed codes are 404 alike', async () => {
    const client = await registerDeviceClient(app())
    const { user_code } = await startDevice(app(), client)
    await decide(await signedInPerson(app()), user_code)
    const person = await signedInPerson(app())
    const bodies = new Set<string>()
    for (const code of [user_code, 'BCDF-GHJK', 'nonsense', 'AAAA-AAAA']) {
      const [read, decided] = [await details(person, code), await decide(person, code)]
      assert.deepEqual([read.statusCode, decided.statusCode], [404, 404], code)
      bodies.add(read.body).add(decided.body)
    }
    assert.equal(bodies.size, 1)
  })

  test('a client that was deleted, or may not ask for it any more, can’t be approved', async () => {
    const administrator = await signedInPerson(app(), { admin: true })
    const person = await signedInPerson(app())
    const [deleted, narrowed] = [await registerDeviceClient(app()), await registerDeviceClient(app())]
    const codes = [await startDevice(app(), deleted), await startDevice(app(), narrowed, { scope: 'openid email' })]
    await administrator.delete(`/oauth/clients/${deleted.clientId}`)
    await administrator.patch(`/oauth/clients/${narrowed.clientId}`, { scopes: ['openid'] })
    for (const { user_code } of codes) assert.equal((await decide(person, user_code)).statusCode, 404)
  })

  test('approving is recorded, and the person is notified once', async () => {
    const client = await registerDeviceClient(app())
    const person = await signedInPerson(app())
    const { user_code } = await startDevice(app(), client, { device_name: 'Laptop' })
    await decide(person, user_code)
    const { notifications } = (await person.get('/api/notifications')).json<{
      notifications: { type: string; data: object }[]
    }>()
    assert.deepEqual(
      notifications.map(({ type, data }) => [type, data]),
      [
        [
          'oauth.device_approved',
          {
            client_id: client.clientId,
            name: 'Television',
            scopes: ['openid'],
            deviceName: 'Laptop',
            ipAddress: '127.0.0.1',
            country: null,
            city: null,
          },
        ],
      ],
    )
    const events = await app()
      .services.db.read.selectFrom('audit_events')
      .select(['action', 'target_id'])
      .where('actor_id', '=', person.user.id)
      .orderBy('id')
      .execute()
    assert.deepEqual(
      events.map(({ action }) => action),
      ['oauth_grant.added', 'oauth_device.approved'],
    )
    const refused = await startDevice(app(), client)
    await decide(person, refused.user_code, false)
    const last = await app()
      .services.db.read.selectFrom('audit_events')
      .select('action')
      .where('actor_id', '=', person.user.id)
      .orderBy('id', 'desc')
      .executeTakeFirst()
    assert.equal(last?.action, 'oauth_device.denied')
  })
})

onEachEngine('limits on devices', (engine) => {
  test('guesses at the same time can’t outrun the limit', async (t) => {
    const app = await startApp(t, { engine })
    const person = await signedInPerson(app)
    const answers = await Promise.all(Array.from({ length: 40 }, () => details(person, 'BCDF-GHJK')))
    assert.ok(answers.filter(({ statusCode }) => statusCode === 404).length <= 10)
  })

  // The rest is the same on every engine.
  if (engine !== MAIN_ENGINE) return

  test('an address may ask 30 times in a minute, unless rate limits are off', async (t) => {
    const app = await startApp(t, { engine })
    const client = await registerDeviceClient(app)
    for (let asked = 0; asked < 30; asked++) assert.equal((await askForDevice(app, client)).statusCode, 200)
    const refused = await askForDevice(app, client)
    assert.equal(refused.statusCode, 429)
    assert.ok(Number(refused.headers['retry-after']) > 0)
    app.clock.advance(61_000)
    assert.equal((await askForDevice(app, client)).statusCode, 200)
    const free = await startApp(t, { engine, config: { rateLimits: false } })
    const other = await registerDeviceClient(free)
    for (let asked = 0; asked < 31; asked++) assert.equal((await askForDevice(free, other)).statusCode, 200)
  })

  test('10 wrong codes of a person make that person wait, and 30 of an address everybody there', async (t) => {
    const app = await startApp(t, { engine })
    const client = await registerDeviceClient(app)
    const person = await signedInPerson(app)
    const { user_code } = await startDevice(app, client)
    for (let tried = 0; tried < 5; tried++) {
      assert.equal((await details(person, 'BCDF-GHJK')).statusCode, 404)
      assert.equal((await decide(person, 'BCDF-GHJK')).statusCode, 404)
    }
    assert.equal((await details(person, user_code)).statusCode, 429)
    assert.equal((await decide(person, user_code)).statusCode, 429)
    const [second, third, fourth] = [await signedInPerson(app), await signedInPerson(app), await signedInPerson(app)]
    for (const each of [second, third])
      for (let tried = 0; tried < 10; tried++) assert.equal((await details(each, 'BCDF-GHJK')).statusCode, 404)
    assert.equal((await details(fourth, user_code)).statusCode, 429)
    app.clock.advance(601_000)
    const later = await startDevice(app, client)
    assert.equal((await details(person, later.user_code)).statusCode, 200)
  })
})
