import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import type { Role } from '../../../src/identity/roles/role.ts'
import { HOST_CERTIFICATE } from '../../../src/platform/openssh/certificate.ts'
import { parseCertificateLine, readCertificate } from '../../platform/openssh/read-certificate.ts'
import { isRevoked, readKrl } from '../../platform/openssh/read-krl.ts'
import { sharedApp, type TestApp } from '../../support/app.ts'
import { MAIN_ENGINE, onEachEngine } from '../../support/engines.ts'
import { anonymous, type SignedInPerson, signedInPerson } from '../../support/people.ts'
import { issue, newPublicKey, saveKey, signInCertificateUser } from '../public-keys.ts'
import { createHost, enroll, type Enrolled, hostWith, type ShownHost } from './managed-host.ts'

onEachEngine('SSH hosts', (engine) => {
  const shared = sharedApp({ engine })
  let app: TestApp
  let admin: SignedInPerson
  let names = 0
  before(async () => {
    app = shared()
    admin = await signedInPerson(app, { admin: true })
  })

  const createRole = async (content: object): Promise<Role> => {
    const made = await admin.post('/api/admin/roles', { name: `Host role ${++names}`, ...content })
    assert.equal(made.statusCode, 201, made.body)
    return made.json<{ role: Role }>().role
  }
  const assign = ({ user }: SignedInPerson, { id }: Role) =>
    admin.post(`/api/admin/users/${user.id}/roles`, { roleId: id })
  const areRevoked = async ({ certificates }: Enrolled) => {
    const krl = readKrl((await anonymous(app).get('/ssh/host-krl?format=krl')).rawPayload)
    return certificates.map(({ serial }) => isRevoked(krl, app.services.sshHostCa.blob, BigInt(serial)))
  }
  const accountsOf = async (token: string) => {
    const answer = await hostWith(app, token).get('/ssh/hosts/principals')
    assert.equal(answer.statusCode, 200, answer.body)
    return answer.json<{ accounts: Record<string, string[]> }>().accounts
  }

  test('are enrolled once by a token, also by two requests at the same time', async () => {
    const { enrollmentToken: token } = await createHost(admin)
    const answers = await Promise.all(
      Array.from({ length: 4 }, () =>
        anonymous(app).post('/ssh/hosts/enroll', { token, publicKeys: [newPublicKey()] }),
      ),
    )
    assert.deepEqual(
      answers.map(({ statusCode }) => statusCode).toSorted((a, b) => a - b),
      [201, 401, 401, 401],
    )
  })

  test('renew: a lost answer locks nobody out, and the old token dies at the first use of the new one', async () => {
    const { enrollmentToken } = await createHost(admin)
    const first = await enroll(app, enrollmentToken)
    const renew = async (token: string) => (await hostWith(app, token).post('/ssh/hosts/renew')).json<Enrolled>()
    const use = async (token: string) => (await hostWith(app, token).get('/ssh/hosts/principals')).statusCode
    const lost = await renew(first.hostToken)
    const second = await renew(first.hostToken)
    assert.equal(second.certificates.length, 1)
    assert.equal(await use(first.hostToken), 200)
    assert.equal(await use(second.hostToken), 200)
    assert.deepEqual([await use(first.hostToken), await use(lost.hostToken)], [401, 401])
    assert.deepEqual(await areRevoked(first), [false])
    const both = await Promise.all([renew(second.hostToken), renew(second.hostToken)])
    for (const { hostToken } of both) assert.match(hostToken, /^ht_/)
    assert.equal(await use(both[0].hostToken), 200)
    assert.deepEqual([await use(second.hostToken), await use(both[1].hostToken)], [401, 401])
  })

  test('renew again after ten minutes when the answer was lost, also when nothing else asks for it', async () => {
    const { host, enrollmentToken } = await createHost(admin)
    const { hostToken: first } = await enroll(app, enrollmentToken)
    const report = async (token: string) =>
      (await hostWith(app, token).post('/ssh/hosts/report', { krlVersion: 'x', sshdVersion: 'x' })).json<{
        renew: boolean
      }>().renew
    assert.equal(await report(first), false)
    await admin.patch(`/api/ssh/hosts/${host.id}`, { hostnames: ['renamed-once.example.com'] })
    assert.equal(await report(first), true)
    const renew = async () => (await hostWith(app, first).post('/ssh/hosts/renew')).json<Enrolled>().hostToken
    await renew()
    assert.equal(await report(first), false, 'it may be on its way')
    app.clock.advance(11 * 60_000)
    assert.equal(await report(first), true)
    const next = await renew()
    assert.deepEqual([await report(first), await report(next)], [false, false])
    app.clock.advance(11 * 60_000)
    assert.equal(await report(next), false)
  })

  // The rest is the same on every engine.
  if (engine !== MAIN_ENGINE) return

  test('need ssh:hosts:manage', async () => {
    const person = await signInCertificateUser(app)
    for (const answer of [
      await person.get('/api/ssh/hosts'),
      await person.post('/api/ssh/hosts', { name: 'x', hostnames: ['x.example.com'] }),
      await person.delete('/api/ssh/hosts/x'),
    ]) {
      assert.equal(answer.statusCode, 403)
    }
  })

  test('are created with a token and one line that enrolls them, shown once', async () => {
    const { host, enrollmentToken, command } = await createHost(admin, { hostnames: ['Web1.example.com', '192.0.2.7'] })
    assert.match(enrollmentToken, /^he_[A-Za-z0-9_-]{43}$/)
    assert.ok(command.includes(enrollmentToken))
    assert.deepEqual(host.hostnames, ['web1.example.com', '192.0.2.7'])
    const shown = await admin.get(`/api/ssh/hosts/${host.id}`)
    assert.deepEqual(shown.json<{ host: ShownHost }>().host, host)
    assert.ok(!shown.body.includes('he_'))
    assert.ok((await admin.get('/api/ssh/hosts?limit=200')).body.includes(host.id))
  })

  test('have names that are DNS names or addresses, and belong to one host', async () => {
    await createHost(admin, { name: 'the one', hostnames: ['one.example.com'] })
    for (const hostnames of [
      [],
      ['*.example.com'],
      ['a b'],
      ['a,b'],
      ['example.com.'],
      ['-x'],
      ['1.2.3'],
      ['twice', 'TWICE'],
      ['fe80::1%eth0'],
      ['2001:db8::7', '2001:DB8:0:0::7'],
      Array.from({ length: 33 }, (_, index) => `n${index}`),
    ]) {
      const answer = await admin.post('/api/ssh/hosts', { name: 'refused', hostnames })
      assert.equal(answer.statusCode, 400, JSON.stringify(hostnames))
    }
    await createHost(admin, { hostnames: Array.from({ length: 32 }, (_, index) => `m${index}.example.com`) })
    const written = { name: 'by address', hostnames: ['2001:DB8:0:0::1', '198.51.100.7', 'SIX.example.com'] }
    const shown = (await createHost(admin, written)).host.hostnames
    assert.deepEqual(shown, ['2001:db8::1', '198.51.100.7', 'six.example.com'])
    const same = { name: 'same address', hostnames: ['2001:db8:0::1'] }
    assert.equal((await admin.post('/api/ssh/hosts', same)).statusCode, 409)
    const taken = { name: 'another', hostnames: ['two.example.com', 'one.example.com'] }
    assert.equal((await admin.post('/api/ssh/hosts', taken)).statusCode, 409)
    assert.equal((await admin.post('/api/ssh/hosts', { name: 'the one', hostnames: ['x1'] })).statusCode, 409)
    const unknown = { name: 'unknown role', hostnames: ['y1'], allowedRoles: ['never'] }
    assert.equal((await admin.post('/api/ssh/hosts', unknown)).statusCode, 400)
  })

  test('get certificates of the host CA for their names, for thirty days, from the same sequence of serials', async () => {
    const { host, enrollmentToken } = await createHost(admin)
    const person = await signInCertificateUser(app)
    const before = BigInt((await issue(person, await saveKey(person))).serial)
    const enrolled = await enroll(app, enrollmentToken, newPublicKey('first'), newPublicKey('second'))
    assert.ok(enrolled.hostToken.startsWith(`ht_${host.id}_`))
    assert.deepEqual(
      enrolled.certificates.map(({ serial }) => BigInt(serial)),
      [before + 1n, before + 2n],
    )
    for (const { certificate, validAfter, validBefore } of enrolled.certificates) {
      const blob = parseCertificateLine(certificate)
      const read = readCertificate(blob, app.services.sshHostCa.blob, HOST_CERTIFICATE)
      assert.deepEqual(read.principals, host.hostnames)
      assert.equal(read.extensions.size + read.criticalOptions.size, 0)
      assert.equal(validBefore - validAfter, 30 * 86_400 + 60)
    }
    assert.deepEqual(await areRevoked(enrolled), [false, false])
  })

  test('are not enrolled by bad input, which does not use the token up, nor by a token that is dead', async () => {
    const { host, enrollmentToken: token } = await createHost(admin)
    const other = await createHost(admin)
    const taken = newPublicKey()
    await enroll(app, other.enrollmentToken, taken)
    const send = async (body: object) => (await anonymous(app).post('/ssh/hosts/enroll', body)).statusCode
    const key = newPublicKey()
    assert.equal(await send({ token, publicKeys: [] }), 400)
    assert.equal(await send({ token, publicKeys: ['ssh-rsa AAAA'] }), 400)
    assert.equal(await send({ token, publicKeys: [key, key] }), 400)
    assert.equal(await send({ token, publicKeys: [taken] }), 409)
    assert.equal(await send({ token: 'he_wrong', publicKeys: [key] }), 401)
    const again = await admin.post(`/api/ssh/hosts/${host.id}/enrollment`, {})
    assert.equal(again.statusCode, 201, again.body)
    assert.equal(await send({ token, publicKeys: [key] }), 401, 'an older token dies')
    const { enrollmentToken } = again.json<{ enrollmentToken: string }>()
    app.clock.advance(3_600_001)
    assert.equal(await send({ token: enrollmentToken, publicKeys: [key] }), 401, 'after an hour')
  })

  test('lose what they have when they are enrolled again, at once with revoke, and when they are deleted', async () => {
    const { host, enrollmentToken } = await createHost(admin)
    const first = await enroll(app, enrollmentToken)
    const again = async (revoke?: boolean) =>
      (await admin.post(`/api/ssh/hosts/${host.id}/enrollment`, { revoke })).json<{ enrollmentToken: string }>()
    const use = async ({ hostToken }: Enrolled) =>
      (await hostWith(app, hostToken).post('/ssh/hosts/report', { krlVersion: 'x', sshdVersion: 'x' })).statusCode
    const next = await again()
    assert.deepEqual([await use(first), await areRevoked(first)], [200, [false]])
    const second = await enroll(app, next.enrollmentToken)
    assert.deepEqual([await use(first), await areRevoked(first)], [401, [true]])
    assert.deepEqual([await use(second), await areRevoked(second)], [200, [false]])
    const third = await enroll(app, (await again(true)).enrollmentToken)
    assert.deepEqual([await use(second), await areRevoked(second)], [401, [true]])
    assert.equal((await admin.delete(`/api/ssh/hosts/${host.id}`)).statusCode, 200)
    assert.deepEqual([await use(third), await areRevoked(third)], [401, [true]])
    assert.equal((await admin.get(`/api/ssh/hosts/${host.id}`)).statusCode, 404)
  })

  test('tell what they have in force: current is the list of now, seen within two minutes', async () => {
    const { host, enrollmentToken } = await createHost(admin)
    const { hostToken } = await enroll(app, enrollmentToken)
    const etag = String((await anonymous(app).get('/ssh/krl?format=krl')).headers['etag'])
    const report = (krlVersion: string) =>
      hostWith(app, hostToken).post('/ssh/hosts/report', { krlVersion, sshdVersion: 'OpenSSH_9.2p1' })
    const shown = async () => (await admin.get(`/api/ssh/hosts/${host.id}`)).json<{ host: ShownHost }>().host
    assert.equal((await shown()).current, false)
    const bare = etag.replace(/^W\//, '').replaceAll('"', '')
    assert.deepEqual((await report(bare)).json(), { success: true, renew: false })
    const { krlVersion, sshdVersion, current } = await shown()
    assert.deepEqual([krlVersion, sshdVersion, current], [bare, 'OpenSSH_9.2p1', true])
    app.clock.advance(120_001)
    assert.equal((await shown()).current, false)
    await report('another')
    assert.equal((await shown()).current, false)
    await admin.patch(`/api/ssh/hosts/${host.id}`, { hostnames: ['renamed.example.com'] })
    assert.deepEqual((await report(bare)).json(), { success: true, renew: true })
  })

  test('list one’s own account, and the accounts of roles by usernames or, under rules, by their own names', async () => {
    const [ada, bob] = [await signInCertificateUser(app), await signInCertificateUser(app)]
    const web = await createRole({ principals: ['web-acc'] })
    const ruled = await createRole({ principals: ['db-acc'], ssh: { forceCommand: 'psql' } })
    const elsewhere = await createRole({ principals: ['db-acc'] })
    await assign(ada, web)
    await assign(ada, ruled)
    await assign(bob, elsewhere)
    const [a, b] = [ada.user.preferredUsername, bob.user.preferredUsername]
    const enrollWith = async (allowedRoles: string[] | null) =>
      (await enroll(app, (await createHost(admin, { allowedRoles })).enrollmentToken)).hostToken
    const everybody = await accountsOf(await enrollWith(null))
    assert.deepEqual([everybody[a], everybody[b]], [[a], [b]])
    assert.deepEqual(everybody['web-acc'], [a])
    assert.deepEqual(everybody['db-acc'], [b, 'db-acc'].toSorted())
    assert.deepEqual(await accountsOf(await enrollWith([web.id])), { [a]: [a], 'web-acc': [a] })
    assert.deepEqual(await accountsOf(await enrollWith([ruled.id])), { [a]: [a] }, 'another role gives it too')
    assert.deepEqual(await accountsOf(await enrollWith([elsewhere.id])), { [b]: [b], 'db-acc': [b] })
    assert.deepEqual(await accountsOf(await enrollWith([])), {})

    const doomed = await createRole({ principals: ['doomed-acc'] })
    await assign(ada, doomed)
    const token = await enrollWith([doomed.id])
    assert.deepEqual(await accountsOf(token), { [a]: [a], 'doomed-acc': [a] })
    await admin.delete(`/api/admin/roles/${doomed.id}`)
    assert.deepEqual(await accountsOf(token), {}, 'a list that has become empty admits nobody')

    await admin.post(`/api/admin/users/${bob.user.id}/lifecycle`, { action: 'disable' })
    assert.equal((await accountsOf(await enrollWith(null)))[b], undefined)
    const mine = (await ada.get('/api/ssh/my-hosts')).json<{ hosts: { name: string; accounts: string[] }[] }>().hosts
    assert.ok(mine.some(({ accounts }) => accounts.includes('web-acc') && accounts.includes(a)))
    assert.ok(mine.every(({ accounts }) => accounts.length > 0 && !accounts.includes(b)))
  })

  test('leave out names that are both a username and a principal', async () => {
    const person = await signInCertificateUser(app)
    const name = person.user.preferredUsername
    const role = await createRole({ principals: ['clash-acc'] })
    await assign(person, role)
    const { hostToken } = await enroll(app, (await createHost(admin, { allowedRoles: [role.id] })).enrollmentToken)
    assert.deepEqual(await accountsOf(hostToken), { [name]: [name], 'clash-acc': [name] })
    // A clash from before clashes were refused.
    await app.services.db.transaction((trx) =>
      trx
        .updateTable('roles')
        .set({ principals: JSON.stringify([name]) })
        .where('id', '=', role.id)
        .execute(),
    )
    assert.deepEqual(await accountsOf(hostToken), {})
  })

  test('can’t be opened by those who manage them for themselves', async () => {
    const person = await signedInPerson(app, { permissions: ['ssh:hosts:manage'] })
    const [own, other] = [await createRole({}), await createRole({})]
    await assign(person, own)
    const { host } = await createHost(admin, { allowedRoles: [other.id] })
    const change = async (allowedRoles: string[] | null, by = person) =>
      (await by.patch(`/api/ssh/hosts/${host.id}`, { allowedRoles })).statusCode
    assert.deepEqual([await change(null), await change([own.id]), await change([])], [403, 403, 200])
    assert.equal(await change([own.id], admin), 200)
    assert.equal(await change(null), 200, 'they were admitted before')
  })

  test('with a token of one host nothing of another is read, and without one nothing', async () => {
    for (const token of ['', 'ht_wrong', 'he_wrong']) {
      const host = hostWith(app, token)
      const report = await host.post('/ssh/hosts/report', { krlVersion: 'x', sshdVersion: 'x' })
      const statuses = [await host.get('/ssh/hosts/principals'), await host.post('/ssh/hosts/renew'), report]
      assert.deepEqual(
        statuses.map(({ statusCode }) => statusCode),
        [401, 401, 401],
      )
    }
  })
})
