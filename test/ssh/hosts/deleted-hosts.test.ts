import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { digest } from '../../../src/platform/crypto/digest.ts'
import { sharedApp, startApp, type TestApp } from '../../support/app.ts'
import { onEachEngine } from '../../support/engines.ts'
import { anonymous, signedInPerson, type SignedInPerson } from '../../support/people.ts'
import { until } from '../../support/replicas.ts'
import { newPublicKey, signInCertificateUser } from '../public-keys.ts'
import { createHost, enroll, type Enrolled, hostWith, type ShownHost } from './managed-host.ts'

onEachEngine('the token of a deleted host', (engine) => {
  const shared = sharedApp({ engine })
  let app: TestApp
  let admin: SignedInPerson
  before(async () => {
    app = shared()
    admin = await signedInPerson(app, { admin: true })
    await signInCertificateUser(app)
  })

  const listsOf = async (token: string) => {
    const answer = await hostWith(app, token).get('/ssh/hosts/principals')
    return [answer.statusCode, answer.statusCode === 200 ? answer.json<{ accounts: object }>().accounts : undefined]
  }
  const deleteHost = async (id: string) => {
    const answer = await admin.delete(`/api/ssh/hosts/${id}`)
    assert.equal(answer.statusCode, 200, answer.body)
  }
  const CLOSED = [200, {}]

  test('gets empty lists, and nothing else', async () => {
    const { host, enrollmentToken } = await createHost(admin)
    const { hostToken } = await enroll(app, enrollmentToken)
    const agent = hostWith(app, hostToken)
    const [, open = {}] = await listsOf(hostToken)
    assert.notDeepEqual(open, {})
    await deleteHost(host.id)
    assert.deepEqual(await listsOf(hostToken), CLOSED)
    const lists = await agent.get('/ssh/hosts/principals')
    const known = { 'if-none-match': String(lists.headers['etag']) }
    assert.equal((await agent.get('/ssh/hosts/principals', known)).statusCode, 304)
    const tags = (await agent.get('/ssh/hosts/wait')).json<{ krl: string; principals: string }>()
    assert.equal(tags.principals, lists.headers['etag'])
    for (const answer of [
      await agent.post('/ssh/hosts/renew'),
      await agent.post('/ssh/hosts/report', { krlVersion: 'x', sshdVersion: 'x' }),
    ])
      assert.equal(answer.statusCode, 401, answer.body)
  })

  test('closes the host whatever had become of the token: unused, superseded, revoked, from before an enrolment, unknown', async () => {
    const { host, enrollmentToken } = await createHost(admin)
    const { hostToken: first } = await enroll(app, enrollmentToken)
    const renew = async (token: string) => (await hostWith(app, token).post('/ssh/hosts/renew')).json<Enrolled>()
    const { hostToken: second } = await renew(first)
    await listsOf(second)
    const { hostToken: unused } = await renew(second)
    const { hostToken: unknown } = await renew(second)
    await app.services.db.transaction((trx) =>
      trx.deleteFrom('ssh_host_tokens').where('token_hash', '=', digest(unknown)).execute(),
    )
    const line = async (revoke: boolean) =>
      (await admin.post(`/api/ssh/hosts/${host.id}/enrollment`, { revoke })).json<{ enrollmentToken: string }>()
        .enrollmentToken
    await enroll(app, await line(false))
    const { hostToken: revoked } = await enroll(app, await line(false))
    await listsOf(revoked)
    const { hostToken: last } = await enroll(app, await line(true))
    assert.deepEqual((await listsOf(first))[0], 401)
    await deleteHost(host.id)
    for (const token of [first, second, unused, unknown, revoked, last]) assert.deepEqual(await listsOf(token), CLOSED)
  })

  test('is no host: it is not listed or counted, raises nothing, and its names are free', async () => {
    const hostnames = ['again.example.com']
    const { host, enrollmentToken } = await createHost(admin, { name: 'again', hostnames })
    const { hostToken } = await enroll(app, enrollmentToken)
    const told = async () => (await admin.get('/api/notifications?limit=100')).body.includes(host.id)
    await deleteHost(host.id)
    assert.deepEqual(await listsOf(hostToken), CLOSED)
    const { hosts } = (await admin.get('/api/ssh/hosts?limit=200')).json<{ hosts: ShownHost[] }>()
    assert.ok(hosts.every(({ id }) => id !== host.id))
    assert.equal((await admin.get(`/api/ssh/hosts/${host.id}`)).statusCode, 404)
    assert.equal((await admin.post(`/api/ssh/hosts/${host.id}/enrollment`, {})).statusCode, 404)
    const anew = await createHost(admin, { name: 'again', hostnames })
    const { hostToken: next } = await enroll(app, anew.enrollmentToken)
    assert.notDeepEqual(await listsOf(next), CLOSED)
    assert.deepEqual(await listsOf(hostToken), CLOSED, 'the old one stays what it was')
    assert.equal(await told(), false)
  })

  test('enrolls nothing, also with a line of the host from before', async () => {
    const { host, enrollmentToken } = await createHost(admin)
    const { hostToken } = await enroll(app, enrollmentToken)
    const { enrollmentToken: line } = (await admin.post(`/api/ssh/hosts/${host.id}/enrollment`, {})).json<{
      enrollmentToken: string
    }>()
    await deleteHost(host.id)
    for (const token of [line, hostToken]) {
      const answer = await anonymous(app).post('/ssh/hosts/enroll', { token, publicKeys: [newPublicKey()] })
      assert.equal(answer.statusCode, 401)
    }
    assert.equal((await hostWith(app, hostToken).post('/ssh/hosts/renew')).statusCode, 401)
    assert.deepEqual(await listsOf(hostToken), CLOSED)
  })

  test('is told at once while it waits, on every replica, and waits again with the empty lists', async (t) => {
    const other = engine === 'postgres' ? await startApp(t, { engine, storage: app.storage, clock: app.clock }) : app
    const { host, enrollmentToken } = await createHost(admin)
    const { hostToken } = await enroll(app, enrollmentToken)
    const agent = hostWith(other, hostToken)
    const wait = async () => {
      const tags = (await agent.get('/ssh/hosts/wait')).json<Record<string, string>>()
      const before = other.services.longPolls.count()
      const answer = agent.get(`/ssh/hosts/wait?${new URLSearchParams(tags).toString()}`)
      await until(async () => other.services.longPolls.count() > before)
      return { tags, answer }
    }
    const waiting = await wait()
    await deleteHost(host.id)
    const answer = await waiting.answer
    assert.equal(answer.statusCode, 200, answer.body)
    assert.notEqual(answer.json<{ principals: string }>().principals, waiting.tags['principals'])
    const again = await wait()
    app.clock.advance(56_000)
    await other.services.longPolls.answerLate()
    assert.equal((await again.answer).statusCode, 304)
  })

  test('of a deletion and a renewal at the same time is one or the other', async () => {
    for (let round = 0; round < 5; round++) {
      const { host, enrollmentToken } = await createHost(admin)
      const { hostToken } = await enroll(app, enrollmentToken)
      const [renewed] = await Promise.all([hostWith(app, hostToken).post('/ssh/hosts/renew'), deleteHost(host.id)])
      assert.ok([200, 401].includes(renewed.statusCode), renewed.body)
      assert.deepEqual(await listsOf(hostToken), CLOSED)
      if (renewed.statusCode === 200) assert.deepEqual(await listsOf(renewed.json<Enrolled>().hostToken), CLOSED)
    }
  })
})
