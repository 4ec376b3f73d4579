import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import type { FastifyInstance } from 'fastify'
import { issue, type Issued, saveKey } from '../ssh/public-keys.ts'
import { startApp, type TestApp } from '../support/app.ts'
import { createClock } from '../support/clock.ts'
import { anonymous, type SignedInPerson, signedInPerson } from '../support/people.ts'
import { ACCOUNT, newKeyPair, sshKeygen, startSshd, temporaryFolder } from './openssh.ts'

/** OpenSSH looks at the real clock, so this test does too. */
const startNow = (t: Parameters<typeof startApp>[0]): Promise<TestApp> =>
  startApp(t, { clock: createClock(Date.now()) })

const loginPerson = (app: TestApp, principals: string[] = [ACCOUNT]): Promise<SignedInPerson> =>
  signedInPerson(app, { permissions: ['ssh:keys:manage', 'ssh:cert:issue', 'ssh:cert:revoke'], principals })

/** What a host's sync does, in two lines. */
function pull(app: FastifyInstance, folder: string) {
  const files = { trusted: join(folder, 'trusted_user_ca.pub'), revoked: join(folder, 'revoked_keys') }
  const run = async () => {
    writeFileSync(files.trusted, (await app.inject('/ssh/ca.pub')).rawPayload)
    writeFileSync(files.revoked, (await app.inject('/ssh/krl?format=krl')).rawPayload)
  }
  return { ...files, run }
}

describe('ssh-keygen', () => {
  test('agrees with every field of a certificate', async (t) => {
    const app = await startApp(t)
    const folder = temporaryFolder(t)
    const person = await loginPerson(app, ['deploy'])
    const { publicKey } = newKeyPair(folder, 'laptop')
    const issued = await issue(person, await saveKey(person, publicKey), 3600)
    const file = join(folder, 'laptop-cert.pub')
    writeFileSync(file, `${issued.certificate}\n`)
    writeFileSync(join(folder, 'ca.pub'), (await anonymous(app).get('/ssh/ca.pub')).body)
    const caPrint = sshKeygen('-l', '-f', join(folder, 'ca.pub')).split(' ')[1] ?? ''
    const keyPrint = sshKeygen('-l', '-f', join(folder, 'laptop.pub')).split(' ')[1] ?? ''
    assert.equal(issued.fingerprint, keyPrint)
    const time = (seconds: number) => new Date(seconds * 1000).toISOString().slice(0, 19)
    const shown = sshKeygen('-L', '-f', file)
      .split('\n')
      .map((line) => line.trim())
    assert.deepEqual(shown.slice(1).filter(Boolean), [
      'Type: ssh-ed25519-cert-v01@openssh.com user certificate',
      `Public key: ED25519-CERT ${keyPrint}`,
      `Signing CA: ED25519 ${caPrint} (using ssh-ed25519)`,
      `Key ID: "${issued.keyId}"`,
      `Serial: ${issued.serial}`,
      `Valid: from ${time(issued.validAfter)} to ${time(issued.validBefore)}`,
      'Principals:',
      person.user.preferredUsername,
      'deploy',
      'Critical Options: (none)',
      'Extensions:',
      'permit-agent-forwarding',
      'permit-port-forwarding',
      'permit-pty',
    ])
  })

  test('reads every list that the server gives out, and finds in it what was revoked', async (t) => {
    const app = await startApp(t)
    const folder = temporaryFolder(t)
    const [person, host] = [await loginPerson(app), anonymous(app)]
    const { publicKey } = newKeyPair(folder, 'laptop')
    const key = await saveKey(person, publicKey)
    writeFileSync(join(folder, 'ca.pub'), (await host.get('/ssh/ca.pub')).body)
    const issued: Issued[] = []
    for (let each = 0; each < 6; each++) issued.push(await issue(person, key))
    const certificates = issued.map(({ serial, certificate }) => {
      const file = join(folder, `${serial}-cert.pub`)
      writeFileSync(file, `${certificate}\n`)
      return file
    })
    const files = [join(folder, 'asked'), join(folder, 'made')] as const
    const revokedIn = (krl: string) => {
      let answer: string
      try {
        answer = sshKeygen('-Q', '-f', krl, ...certificates)
      } catch (error) {
        // It also ends with an error when something is revoked, and says the same as otherwise.
        const { stdout, stderr } = error as { stdout: string; stderr: string }
        assert.equal(stderr, '')
        answer = stdout
      }
      const lines = answer.trim().split('\n')
      assert.equal(lines.length, certificates.length)
      return issued.filter((_, index) => lines[index]?.endsWith('REVOKED')).map(({ serial }) => serial)
    }
    const revoked: string[] = []
    for (const each of [undefined, issued[4], issued[1], issued[2]]) {
      if (each) {
        await person.post(`/api/ssh/certs/${each.id}/revoke`, {})
        revoked.push(each.serial)
      }
      for (const query of ['', '&wildcard=true', '&includeExpired=true', '&includeExpired=true&wildcard=true']) {
        writeFileSync(files[0], (await host.get(`/ssh/krl?format=krl${query}`)).rawPayload)
        assert.deepEqual(revokedIn(files[0]), revoked.toSorted(), query)
      }
      // The raw form is what ssh-keygen itself makes a list of.
      writeFileSync(files[0], (await host.get('/ssh/krl?format=raw')).body)
      sshKeygen('-q', '-k', '-f', files[1], '-s', join(folder, 'ca.pub'), files[0])
      assert.deepEqual(revokedIn(files[1]), revoked.toSorted())
    }
  })
})

describe('a real sshd', () => {
  test('lets a certificate in, and keeps it out once it is revoked', async (t) => {
    const app = await startNow(t)
    const folder = temporaryFolder(t)
    const files = pull(app.app, folder)
    await files.run()
    const sshd = await startSshd(t, files)
    const person = await loginPerson(app)
    const { path, publicKey } = newKeyPair(folder, 'laptop')
    const key = await saveKey(person, publicKey)
    const [revoked, kept] = [await issue(person, key), await issue(person, key)]
    assert.equal(await sshd.login(path, revoked.certificate), true, sshd.logged())
    assert.ok(sshd.logged().includes(revoked.keyId), 'its log names the certificate')
    await person.post(`/api/ssh/certs/${revoked.id}/revoke`, { reason: 'lost' })
    await files.run()
    assert.equal(await sshd.login(path, revoked.certificate), false)
    assert.match(sshd.logged(), /revoked/)
    assert.equal(await sshd.login(path, kept.certificate), true, 'another certificate of the same key')
  })

  test('keeps a person out who was disabled, and a key that was deleted', async (t) => {
    const app = await startNow(t)
    const folder = temporaryFolder(t)
    const files = pull(app.app, folder)
    await files.run()
    const sshd = await startSshd(t, files)
    const [leaver, loser] = [await loginPerson(app), await loginPerson(app)]
    const [one, two] = [newKeyPair(folder, 'one'), newKeyPair(folder, 'two')]
    const lostKey = await saveKey(loser, two.publicKey)
    const [first, second] = [await issue(leaver, await saveKey(leaver, one.publicKey)), await issue(loser, lostKey)]
    assert.equal(await sshd.login(one.path, first.certificate), true, sshd.logged())
    assert.equal(await sshd.login(two.path, second.certificate), true, sshd.logged())
    const admin = await signedInPerson(app, { admin: true })
    const disabled = await admin.post(`/api/admin/users/${leaver.user.id}/lifecycle`, { action: 'disable' })
    assert.equal(disabled.statusCode, 200, disabled.body)
    await loser.delete(`/api/ssh/keys/${lostKey}`)
    await files.run()
    assert.equal(await sshd.login(one.path, first.certificate), false)
    assert.equal(await sshd.login(two.path, second.certificate), false)
  })

  test('keeps out who has another principal, another key, or a certificate whose time is over', async (t) => {
    const app = await startNow(t)
    const folder = temporaryFolder(t)
    const files = pull(app.app, folder)
    await files.run()
    const sshd = await startSshd(t, files)
    const [stranger, person] = [await loginPerson(app, ['somebody-else']), await loginPerson(app)]
    const [one, two] = [newKeyPair(folder, 'one'), newKeyPair(folder, 'two')]
    const foreign = await issue(stranger, await saveKey(stranger, one.publicKey))
    assert.equal(await sshd.login(one.path, foreign.certificate), false)
    assert.match(sshd.logged(), /principal/i)
    const key = await saveKey(person, two.publicKey)
    const good = await issue(person, key)
    assert.equal(await sshd.login(one.path, good.certificate), false, 'a certificate without its key')
    assert.equal(await sshd.login(two.path, good.certificate), true, sshd.logged())
    app.clock.advance(-3_600_000)
    const over = await issue(person, key, 60)
    assert.equal(await sshd.login(two.path, over.certificate), false)
    assert.match(sshd.logged(), /expired/i)
  })
})
