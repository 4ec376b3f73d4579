import assert from 'node:assert/strict'
import { before, mock, test } from 'node:test'
import { digest } from '../../../src/platform/crypto/digest.ts'
import { newHostToken } from '../../../src/ssh/hosts/host-token.ts'
import { sharedApp, startApp, type TestApp } from '../../support/app.ts'
import { onEachEngine } from '../../support/engines.ts'
import { signedInPerson, type SignedInPerson } from '../../support/people.ts'
import { newPublicKey } from '../public-keys.ts'
import { createHost, enroll, type Enrolled, hostWith, type ShownHost } from './managed-host.ts'

const REPORT = { krlVersion: 'x', sshdVersion: 'OpenSSH_9.2p1' }
const MINUTE = 60_000

interface Told {
  type: string
  data: { hostId: string; name: string; reason: string; since: number }
}

onEachEngine('the tokens of hosts', (engine) => {
  const shared = sharedApp({ engine })
  let app: TestApp
  let admin: SignedInPerson
  let manager: SignedInPerson
  let other: SignedInPerson
  before(async () => {
    app = shared()
    admin = await signedInPerson(app, { admin: true })
    manager = await signedInPerson(app, { permissions: ['ssh:hosts:manage'] })
    other = await signedInPerson(app, { permissions: ['ssh:cert:list'] })
  })

  const attentionOf = async (hostId: string) =>
    (await admin.get(`/api/ssh/hosts/${hostId}`)).json<{ host: ShownHost }>().host.attention
  const toldOf = async (person: SignedInPerson, hostId: string) =>
    (await person.get('/api/notifications?limit=100'))
      .json<{ notifications: Told[] }>()
      .notifications.filter(({ type, data }) => type === 'ssh.host_attention' && data.hostId === hostId)
  const reasonsTold = async (hostId: string) => (await toldOf(admin, hostId)).map(({ data }) => data.reason)
  const lists = async (token: string, on = app) => (await hostWith(on, token).get('/ssh/hosts/principals')).statusCode
  const report = async (token: string, more: object = {}) =>
    (await hostWith(app, token).post('/ssh/hosts/report', { ...REPORT, ...more })).statusCode
  const renew = async (token: string) => {
    const answer = await hostWith(app, token).post('/ssh/hosts/renew')
    assert.equal(answer.statusCode, 200, answer.body)
    return answer.json<Enrolled>().hostToken
  }
  const renewStatus = async (token: string) => (await hostWith(app, token).post('/ssh/hosts/renew')).statusCode
  const newLine = async (hostId: string, revoke = false) =>
    (await admin.post(`/api/ssh/hosts/${hostId}/enrollment`, { revoke })).json<{ enrollmentToken: string }>()
      .enrollmentToken
  /** A host whose token is in use. */
  const enrolled = async () => {
    const { host, enrollmentToken } = await createHost(admin)
    const { hostToken } = await enroll(app, enrollmentToken)
    assert.equal(await lists(hostToken), 200)
    return { host, hostToken }
  }
  /** What a restore leaves of a token that was made after the backup. */
  const forget = (token: string) =>
    app.services.db.transaction((trx) =>
      trx.deleteFrom('ssh_host_tokens').where('token_hash', '=', digest(token)).execute(),
    )

  test('carry the id of their host under a code of this installation, and are stored as digests', async () => {
    const { host, hostToken } = await enrolled()
    assert.match(hostToken, new RegExp(`^ht_${host.id}_[A-Za-z0-9_-]{86}$`))
    const rows = await app.services.db.read
      .selectFrom('ssh_host_tokens')
      .select('token_hash')
      .where('host_id', '=', host.id)
      .execute()
    assert.deepEqual(rows, [{ token_hash: digest(hostToken) }])
  })

  test('that are genuine and not known, as after a restore, show their host within a minute and tell those who manage hosts once', async () => {
    const { host, hostToken } = await enrolled()
    const lost = await renew(hostToken)
    await forget(lost)
    const since = app.clock.now()
    assert.equal(await lists(lost), 401)
    assert.deepEqual(await attentionOf(host.id), { reason: 'token_refused', since })
    for (const url of ['/ssh/hosts/principals', '/ssh/hosts/wait', '/ssh/krl?format=krl&wait=x'])
      await hostWith(app, lost).get(url)
    app.clock.advance(MINUTE)
    assert.deepEqual([await report(lost), await renewStatus(lost)], [401, 401])
    assert.deepEqual(await attentionOf(host.id), { reason: 'token_refused', since })
    const [told, ...more] = await toldOf(manager, host.id)
    assert.deepEqual(told?.data, { hostId: host.id, name: host.name, reason: 'token_refused', since })
    assert.deepEqual([more, await reasonsTold(host.id), await toldOf(other, host.id)], [[], ['token_refused'], []])
    const listed = (await admin.get('/api/ssh/hosts?limit=200')).json<{ hosts: ShownHost[] }>().hosts
    assert.deepEqual(listed.find(({ id }) => id === host.id)?.attention, { reason: 'token_refused', since })

    assert.equal(await report(hostToken), 200)
    assert.notEqual(await attentionOf(host.id), null, 'somebody used the other a moment ago')
    app.clock.advance(11 * MINUTE)
    assert.equal(await report(hostToken), 200)
    assert.equal(await attentionOf(host.id), null, 'the host works, and nobody uses the other any more')
    await lists(lost)
    assert.deepEqual(await reasonsTold(host.id), ['token_refused', 'token_refused'], 'it is said again')
  })

  test('that are genuine and not known make way for a new line', async () => {
    const { host, hostToken } = await enrolled()
    await forget(hostToken)
    assert.deepEqual([await lists(hostToken), (await attentionOf(host.id))?.reason], [401, 'token_refused'])
    const { hostToken: next } = await enroll(app, await newLine(host.id))
    assert.equal(await attentionOf(host.id), null)
    assert.equal(await lists(hostToken), 401)
    assert.equal(await attentionOf(host.id), null, 'the host may not have stored the new one yet')
    assert.deepEqual([await lists(next), await report(next)], [200, 200])
    assert.deepEqual([await attentionOf(host.id), await reasonsTold(host.id)], [null, ['token_refused']])
  })

  test('that are made up raise nothing and cost no more than one look', async () => {
    const { host, hostToken } = await enrolled()
    const { random, vault, db } = app.services
    const foreign = newHostToken({ random, vault: { ...vault, mac: () => 'A'.repeat(43) } }, host.id)
    const altered = `${hostToken.slice(0, -1)}${hostToken.endsWith('A') ? 'B' : 'A'}`
    const ofNoHost = newHostToken({ random, vault }, '00000000-0000-4000-8000-00000000dead')
    for (const token of ['ht_wrong', `ht_${'x'.repeat(43)}`, foreign, altered]) {
      const reads = mock.method(db.read, 'run')
      const transactions = mock.method(db, 'transaction')
      try {
        assert.equal(await lists(token), 401)
        assert.deepEqual([reads.mock.callCount(), transactions.mock.callCount()], [1, 0], token)
      } finally {
        reads.mock.restore()
        transactions.mock.restore()
      }
    }
    assert.equal(await lists(ofNoHost), 401)
    assert.deepEqual([await attentionOf(host.id), await reasonsTold(host.id)], [null, []])
  })

  test('from before 0.3 go on, and are told apart when they are used after their successor', async () => {
    const { host, enrollmentToken } = await createHost(admin)
    const { hostToken: unused } = await enroll(app, enrollmentToken)
    const old = `ht_${'o'.repeat(30)}${host.id.slice(0, 13)}`
    await app.services.db.transaction((trx) =>
      trx
        .updateTable('ssh_host_tokens')
        .set({ token_hash: digest(old), is_used: 1 })
        .where('token_hash', '=', digest(unused))
        .execute(),
    )
    assert.deepEqual([await lists(old), await report(old)], [200, 200])
    const next = await renew(old)
    assert.deepEqual([await lists(old), await attentionOf(host.id)], [200, null], 'the answer may have been lost')
    assert.equal(await lists(next), 200)
    assert.deepEqual([await lists(old), (await attentionOf(host.id))?.reason], [401, 'token_reused'])
  })

  test('that are used after their successor show the host until it is enrolled anew, also while it reports', async () => {
    const { host, hostToken: stolen } = await enrolled()
    const next = await renew(stolen)
    assert.equal(await lists(next), 200)
    assert.equal(await report(next), 200)
    assert.equal(await attentionOf(host.id), null)
    await Promise.all([lists(stolen), report(stolen), renewStatus(stolen), lists(stolen)])
    assert.equal((await attentionOf(host.id))?.reason, 'token_reused')
    app.clock.advance(60 * MINUTE)
    assert.deepEqual([await report(next), await renewStatus(stolen)], [200, 401])
    assert.equal((await attentionOf(host.id))?.reason, 'token_reused')
    assert.deepEqual(await reasonsTold(host.id), ['token_reused'])
    const { hostToken } = await enroll(app, await newLine(host.id))
    assert.equal(await attentionOf(host.id), null)
    assert.equal(await lists(hostToken), 200)
    assert.deepEqual([await lists(stolen), await lists(next)], [401, 401])
    assert.equal((await attentionOf(host.id))?.reason, 'token_reused', 'somebody still has one')
  })

  test('from before an enrolment only read lists until the new one is used, so that a lost answer freezes nothing', async () => {
    const { host, hostToken: before } = await enrolled()
    const { hostToken: lost } = await enroll(app, await newLine(host.id))
    assert.deepEqual([await lists(before), await report(before), await renewStatus(before)], [200, 401, 401])
    assert.equal(await attentionOf(host.id), null)
    app.clock.advance(2 * MINUTE)
    assert.deepEqual([await lists(before), await report(before)], [200, 401])
    assert.equal((await attentionOf(host.id))?.reason, 'token_refused', 'it did not get its new token')
    const { hostToken } = await enroll(app, await newLine(host.id))
    assert.deepEqual([await lists(before), await lists(hostToken)], [200, 200])
    assert.deepEqual([await lists(before), await lists(lost), await lists(hostToken)], [401, 401, 200])
  })

  test('a stolen one renews nothing once the host was enrolled again, and ends at once with revoke', async () => {
    const { host, hostToken: stolen } = await enrolled()
    const line = await newLine(host.id)
    const ofThief = await renew(stolen)
    const { hostToken } = await enroll(app, line)
    assert.deepEqual([await renewStatus(stolen), await renewStatus(ofThief)], [401, 401])
    assert.equal(await lists(ofThief), 200)
    assert.equal(await lists(hostToken), 200)
    assert.deepEqual([await lists(stolen), await lists(ofThief)], [401, 401])
    const again = await newLine(host.id, true)
    assert.deepEqual([await lists(hostToken), await lists(stolen)], [401, 401])
    const { hostToken: last } = await enroll(app, again)
    assert.equal(await lists(hostToken), 401)
    assert.equal(await lists(last), 200)
  })

  test('are not touched by an enrolment that is refused', async () => {
    const { host, hostToken } = await enrolled()
    const { host: another, enrollmentToken } = await createHost(admin)
    const taken = newPublicKey()
    await enroll(app, enrollmentToken, taken)
    const line = await newLine(host.id)
    const refused = async (token: string, publicKeys: string[]) =>
      (await hostWith(app, hostToken).post('/ssh/hosts/enroll', { token, publicKeys })).statusCode
    assert.deepEqual(
      [await refused('he_used', [newPublicKey()]), await refused(line, [taken]), await refused(line, ['x'])],
      [401, 409, 400],
    )
    assert.deepEqual([await report(hostToken), await attentionOf(host.id)], [200, null])
    assert.notEqual(await renew(hostToken), '')
    assert.equal((await enroll(app, line)).host.id, host.id)
    assert.equal(await attentionOf(another.id), null)
  })

  test('keys of the authority that a host refuses show it until it takes them', async () => {
    const { host, hostToken } = await enrolled()
    assert.equal(await report(hostToken, { caRefused: false }), 200)
    assert.equal(await attentionOf(host.id), null)
    const since = app.clock.now()
    assert.equal(await report(hostToken, { caRefused: true }), 200)
    app.clock.advance(2 * MINUTE)
    assert.equal(await report(hostToken, { caRefused: true }), 200)
    assert.deepEqual(await attentionOf(host.id), { reason: 'ca_refused', since })
    assert.equal(await report(hostToken), 200)
    assert.deepEqual(await attentionOf(host.id), { reason: 'ca_refused', since }, 'it did not say')
    assert.deepEqual(await reasonsTold(host.id), ['ca_refused'])
    const next = await renew(hostToken)
    assert.deepEqual([await lists(next), await lists(hostToken)], [200, 401])
    assert.equal((await attentionOf(host.id))?.reason, 'token_reused', 'the more urgent one')
    assert.equal(await report(next, { caRefused: false }), 200)
    assert.equal((await attentionOf(host.id))?.reason, 'token_reused')
    assert.deepEqual((await reasonsTold(host.id)).toSorted(), ['ca_refused', 'token_reused'])
  })

  test('that many requests use at once, on two replicas, are told of once', async (t) => {
    const replica = engine === 'postgres' ? await startApp(t, { engine, storage: app.storage, clock: app.clock }) : app
    const { host, hostToken: old } = await enrolled()
    assert.equal(await lists(await renew(old)), 200)
    await Promise.all(Array.from({ length: 12 }, (_, index) => lists(old, index % 2 === 0 ? app : replica)))
    assert.deepEqual(await reasonsTold(host.id), ['token_reused'])
    assert.equal((await toldOf(manager, host.id)).length, 1)
  })

  test('that have ended are forgotten after 90 days, and hosts that were deleted too', async () => {
    const { host, hostToken: old } = await enrolled()
    assert.equal(await lists(await renew(old)), 200)
    await admin.delete(`/api/ssh/hosts/${host.id}`)
    const kept = async () => {
      const { db } = app.services
      const tokens = await db.read.selectFrom('ssh_former_host_tokens').select('token_hash').execute()
      const hosts = await db.read.selectFrom('ssh_deleted_hosts').select('host_id').execute()
      return [tokens.some((row) => row.token_hash === digest(old)), hosts.some((row) => row.host_id === host.id)]
    }
    app.clock.advance(89 * 24 * 60 * MINUTE)
    await app.tick()
    assert.deepEqual([await kept(), await lists(old)], [[true, true], 200])
    app.clock.advance(2 * 24 * 60 * MINUTE)
    await app.tick()
    assert.deepEqual([await kept(), await lists(old)], [[false, false], 401])
  })
})
