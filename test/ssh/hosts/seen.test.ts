import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApp } from '../../support/app.ts'
import { onMainEngine } from '../../support/engines.ts'
import { signedInPerson } from '../../support/people.ts'
import { createHost, enroll, hostWith } from './managed-host.ts'

onMainEngine('that a host was here', (engine) => {
  test('is written every 30 seconds at most, and with each of its reports', async (t) => {
    const app = await startApp(t, { engine })
    const admin = await signedInPerson(app, { admin: true })
    const { host, enrollmentToken } = await createHost(admin)
    const agent = hostWith(app, (await enroll(app, enrollmentToken)).hostToken)
    const seenAgo = async () => {
      const { lastSeenAt } = (await admin.get(`/api/ssh/hosts/${host.id}`)).json<{ host: { lastSeenAt: number } }>()
        .host
      return app.clock.now() - lastSeenAt
    }
    app.clock.advance(29_999)
    assert.equal((await agent.get('/ssh/hosts/principals')).statusCode, 200)
    assert.equal(await seenAgo(), 29_999)
    app.clock.advance(1)
    assert.equal((await agent.get('/ssh/hosts/principals')).statusCode, 200)
    assert.equal(await seenAgo(), 0)
    app.clock.advance(1)
    const report = { krlVersion: 'v', sshdVersion: 'OpenSSH_10.0' }
    const answer = await agent.post('/ssh/hosts/report', report)
    assert.deepEqual(answer.json(), { success: true, renew: false })
    assert.equal(await seenAgo(), 0)
  })

  test('is not written for a token that has ended', async (t) => {
    const app = await startApp(t, { engine })
    const admin = await signedInPerson(app, { admin: true })
    const { host, enrollmentToken } = await createHost(admin)
    const agent = hostWith(app, (await enroll(app, enrollmentToken)).hostToken)
    await admin.post(`/api/ssh/hosts/${host.id}/enrollment`, { revoke: true })
    app.clock.advance(60_000)
    for (const answer of [
      await agent.get('/ssh/hosts/principals'),
      await agent.post('/ssh/hosts/report', { krlVersion: 'v', sshdVersion: 'OpenSSH_10.0' }),
    ])
      assert.equal(answer.statusCode, 401)
    const shown = (await admin.get(`/api/ssh/hosts/${host.id}`)).json<{
      host: { lastSeenAt: number; krlVersion: string | null }
    }>().host
    assert.equal(app.clock.now() - shown.lastSeenAt, 60_000)
    assert.equal(shown.krlVersion, null)
  })
})
