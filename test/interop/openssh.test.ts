import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import type { FastifyInstance } from 'fastify'
import { issue, type Issued, saveKey } from '../ssh/public-keys.ts'
import { startApp, type TestApp } from '../support/app.ts'
import { createClock } from '../support/clock.ts'
import { anonymous, signedInPerson } from '../support/people.ts'
import { newKeyPair, sshKeygen, startSshd, temporaryFolder } from './openssh.ts'
import { signInSshUser } from './sign-in-ssh-user.ts'

/** OpenSSH uses the real clock, so these tests do too. */
const startNow = (t: Parameters<typeof startApp>[0]): Promise<TestApp> =>
  startApp(t, { clock: createClock(Date.now()) })

/** The files of a host, and a function that fetches them as the sync script of a host does. */
function createHostFiles(app: FastifyInstance, folder: string) {
  const files = { trusted: join(folder, 'trusted_user_ca.pub'), revoked: join(folder, 'revoked_keys') }
  const sync = async () => {
    writeFileSync(files.trusted, (await app.inject('/ssh/ca.pub')).rawPayload)
    writeFileSync(files.revoked, (await app.inject('/ssh/krl?format=krl')).rawPayload)
  }
  return { ...files, sync }
}

describe('ssh-keygen', () => {
  test('shows every field of a certificate as the server returned it', async (t) => {
    const app = await startApp(t)
    const folder = temporaryFolder(t)
    const person = await signInSshUser(app, ['deploy'])
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

  test('reads every format of the revocation list, and finds exactly the revoked certificates in it', async (t) => {
    const app = await startApp(t)
    const folder = temporaryFolder(t)
    const [person, host] = [await signInSshUser(app), anonymous(app)]
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
    const files = [join(folder, 'received'), join(folder, 'built')] as const
    const revokedIn = (krl: string) => {
      let answer: string
      try {
        answer = sshKeygen('-Q', '-f', krl, ...certificates)
      } catch (error) {
        // It also exits with an error when something is revoked, and prints the same as otherwise.
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
      // From the raw format ssh-keygen builds a KRL itself.
      writeFileSync(files[0], (await host.get('/ssh/krl?format=raw')).body)
      sshKeygen('-q', '-k', '-f', files[1], '-s', join(folder, 'ca.pub'), files[0])
      assert.deepEqual(revokedIn(files[1]), revoked.toSorted())
    }
  })
})

describe('a real sshd', () => {
  test('accepts a certificate, and refuses it once it is revoked', async (t) => {
    const app = await startNow(t)
    const folder = temporaryFolder(t)
    const files = createHostFiles(app.app, folder)
    await files.sync()
    const sshd = await startSshd(t, files)
    const person = await signInSshUser(app)
    const { path, publicKey } = newKeyPair(folder, 'laptop')
    const key = await saveKey(person, publicKey)
    const [revoked, kept] = [await issue(person, key), await issue(person, key)]
    assert.equal(await sshd.login(path, revoked.certificate), true, sshd.logged())
    assert.ok(sshd.logged().includes(revoked.keyId), 'its log names the certificate')
    await person.post(`/api/ssh/certs/${revoked.id}/revoke`, { reason: 'lost' })
    await files.sync()
    assert.equal(await sshd.login(path, revoked.certificate), false)
    assert.match(sshd.logged(), /revoked/)
    assert.equal(await sshd.login(path, kept.certificate), true, 'another certificate of the same key')
  })

  test('refuses the certificates of a disabled user and of a deleted key', async (t) => {
    const app = await startNow(t)
    const folder = temporaryFolder(t)
    const files = createHostFiles(app.app, folder)
    await files.sync()
    const sshd = await startSshd(t, files)
    const [disabledUser, keyDeleter] = [await signInSshUser(app), await signInSshUser(app)]
    const [one, two] = [newKeyPair(folder, 'one'), newKeyPair(folder, 'two')]
    const lostKey = await saveKey(keyDeleter, two.publicKey)
    const [first, second] = [
      await issue(disabledUser, await saveKey(disabledUser, one.publicKey)),
      await issue(keyDeleter, lostKey),
    ]
    assert.equal(await sshd.login(one.path, first.certificate), true, sshd.logged())
    assert.equal(await sshd.login(two.path, second.certificate), true, sshd.logged())
    const admin = await signedInPerson(app, { admin: true })
    const disabled = await admin.post(`/api/admin/users/${disabledUser.user.id}/lifecycle`, { action: 'disable' })
    assert.equal(disabled.statusCode, 200, disabled.body)
    await keyDeleter.delete(`/api/ssh/keys/${lostKey}`)
    await files.sync()
    assert.equal(await sshd.login(one.path, first.certificate), false)
    assert.equal(await sshd.login(two.path, second.certificate), false)
  })

  test('refuses a certificate with another principal, with another key, or that has expired', async (t) => {
    const app = await startNow(t)
    const folder = temporaryFolder(t)
    const files = createHostFiles(app.app, folder)
    await files.sync()
    const sshd = await startSshd(t, files)
    const [stranger, person] = [await signInSshUser(app, ['somebody-else']), await signInSshUser(app)]
    const [one, two] = [newKeyPair(folder, 'one'), newKeyPair(folder, 'two')]
    const foreign = await issue(stranger, await saveKey(stranger, one.publicKey))
    assert.equal(await sshd.login(one.path, foreign.certificate), false)
    assert.match(sshd.logged(), /principal/i)
    const key = await saveKey(person, two.publicKey)
    const good = await issue(person, key)
    assert.equal(await sshd.login(one.path, good.certificate), false, 'a certificate without its key')
    assert.equal(await sshd.login(two.path, good.certificate), true, sshd.logged())
    app.clock.advance(-3_600_000)
    const expired = await issue(person, key, 60)
    assert.equal(await sshd.login(two.path, expired.certificate), false)
    assert.match(sshd.logged(), /expired/i)
  })
})
