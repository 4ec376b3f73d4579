import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { IDLE_MS } from '../../../src/identity/sessions/session.ts'
import { issue, saveKey } from '../../ssh/public-keys.ts'
import { sharedApp, startApp, type TestApp } from '../../support/app.ts'
import { exchangeCode, getCode, getTokens, newPkce, registerApplication } from '../../support/application.ts'
import { onMainEngine } from '../../support/engines.ts'
import { anonymous, type SignedInPerson, signedInPerson, signIn } from '../../support/people.ts'
import { actionsOf, lifecycleOf } from './actions.ts'
import { PASSWORD, SSH, type SwitchResponse } from './switch-response.ts'

onMainEngine('the preview of a disable', (engine) => {
  const shared = sharedApp({ engine })
  let app: TestApp
  let admin: SignedInPerson
  before(async () => {
    app = shared()
    admin = await signedInPerson(app, { admin: true })
  })

  const disable = (userId: string) => admin.post(lifecycleOf(userId), { action: 'disable' })

  test('the preview names what a disable would end, ends nothing and leaves no record', async () => {
    const person = await signedInPerson(app, { permissions: [...SSH] })
    const elsewhere = await signIn(app, person.user)
    const certificate = await issue(person, await saveKey(person))
    const application = await registerApplication(app, { name: 'Wiki' })
    for (let time = 0; time < 2; time++) await getTokens(app, person, application)
    const url = `${lifecycleOf(person.user.id)}/preview`
    const events = async () => (await app.services.db.read.selectFrom('audit_events').select('id').execute()).length
    const before = await events()
    for (let time = 0; time < 2; time++) {
      const answer = await admin.post(url, { action: 'disable' })
      assert.equal(answer.statusCode, 200, answer.body)
      const { sessions, apps, certificates } = answer.json().ends
      assert.deepEqual(
        new Set(sessions.map(({ id }: { id: string }) => id)),
        new Set([person.sessionId, elsewhere.sessionId]),
      )
      assert.deepEqual(apps, [{ client_id: application.clientId, name: 'Wiki' }])
      assert.deepEqual(
        certificates.map(({ id }: { id: string }) => id),
        [certificate.id],
      )
    }
    const nothing = { ends: { sessions: [], apps: [], certificates: [] }, tells: [] }
    assert.deepEqual((await admin.post(url, { action: 'enable' })).json(), nothing)
    assert.equal(await events(), before)
    assert.deepEqual(await actionsOf(admin, person.user.id), [])
    assert.equal((await person.get('/api/auth/me')).statusCode, 200)
    const expected = { sessions: 2, tokens: 1, certificates: 1 }
    assert.deepEqual((await disable(person.user.id)).json<SwitchResponse>().ended, expected)
  })

  test('the preview counts for a caller who may not see users, and refuses what it does not know', async () => {
    const person = await signedInPerson(app)
    const url = `${lifecycleOf(person.user.id)}/preview`
    const ender = await signedInPerson(app, { permissions: ['users:lifecycle'] })
    assert.deepEqual((await ender.post(url, { action: 'disable' })).json(), {
      ends: { sessions: 1, apps: 0, certificates: 0 },
      tells: [],
    })
    assert.deepEqual((await ender.post(url, { action: 'enable' })).json(), {
      ends: { sessions: 0, apps: 0, certificates: 0 },
      tells: [],
    })
    const reader = await signedInPerson(app, { permissions: ['users:read'] })
    assert.equal((await reader.post(url, { action: 'disable' })).statusCode, 403)
    assert.equal((await admin.post(url, { action: 'delete' })).statusCode, 400)
    assert.equal((await admin.get(url)).statusCode, 405)
    const nobody = `${lifecycleOf('usr_nobody')}/preview`
    assert.equal((await admin.post(nobody, { action: 'disable' })).statusCode, 404)
  })

  test('the preview counts each application once, and only access that is live', async (t) => {
    const own = await startApp(t, { engine })
    const ownAdmin = await signedInPerson(own, { admin: true })
    const person = await signedInPerson(own, { email: 'counted@example.com', password: PASSWORD })
    const [often, once, expiring] = [
      await registerApplication(own),
      await registerApplication(own),
      await registerApplication(own),
    ]
    const ender = await signedInPerson(own, { permissions: ['users:lifecycle'] })
    const preview = async () => {
      const url = `${lifecycleOf(person.user.id)}/preview`
      const names = (await ownAdmin.post(url, { action: 'disable' })).json().ends
      const { sessions, apps: tokens, certificates } = (await ender.post(url, { action: 'disable' })).json().ends
      assert.deepEqual(
        [names.sessions.length, names.apps.length, names.certificates.length],
        [sessions, tokens, certificates],
      )
      return { sessions, tokens, certificates }
    }
    await anonymous(own).post('/api/auth/login', { email: 'counted@example.com', password: PASSWORD })
    for (let time = 0; time < 2; time++) await getTokens(own, person, often)
    await getCode(person, often, newPkce())
    await getTokens(own, person, once)
    const pkce = newPkce()
    await exchangeCode(own, expiring, await getCode(person, expiring, pkce), pkce)
    assert.deepEqual(await preview(), { sessions: 2, tokens: 3, certificates: 0 })

    // The session without "remember me" is past its idle limit, and the access token without a refresh token has expired.
    own.clock.advance(IDLE_MS)
    assert.deepEqual(await preview(), { sessions: 1, tokens: 2, certificates: 0 })
    await ownAdmin.delete(`/oauth/clients/${once.clientId}`)
    const expected = { sessions: 1, tokens: 1, certificates: 0 }
    assert.deepEqual(await preview(), expected)
    const response = await ownAdmin.post(lifecycleOf(person.user.id), { action: 'disable' })
    assert.deepEqual(response.json<SwitchResponse>().ended, expected)
  })
})
