import assert from 'node:assert/strict'
import { test } from 'node:test'
import { runCommand } from '../../../src/operations/control/commands.ts'
import { HOST_CERTIFICATE } from '../../../src/platform/openssh/certificate.ts'
import { parsePublicKey } from '../../../src/platform/openssh/public-key.ts'
import { createHost, enroll, type Enrolled, hostWith } from '../../ssh/hosts/managed-host.ts'
import { issue, newPublicKey, saveKey, signInCertificateManager } from '../../ssh/public-keys.ts'
import { startApp } from '../../support/app.ts'
import { onEachEngine } from '../../support/engines.ts'
import { anonymous, signedInPerson } from '../../support/people.ts'
import { parseCertificateLine, readCertificate } from '../openssh/read-certificate.ts'
import { isRevoked, readKrl } from '../openssh/read-krl.ts'

const HOUR = 3600_000

onEachEngine('replacing the SSH CA', (engine) => {
  test('hosts trust both keys for the set time, then the new one signs, and the old one is withdrawn when its certificates have expired', async (t) => {
    const app = await startApp(t, { engine })
    const { services, clock } = app
    const host = anonymous(app)
    const lines = async (query = '') =>
      (await host.get(`/ssh/ca.pub${query}`)).body
        .trimEnd()
        .split('\n')
        .map((line) => parsePublicKey(line).blob)
    const person = await signInCertificateManager(app)
    const key = await saveKey(person)
    const isSignedBy = ({ certificate }: { certificate: string }, blob: Buffer) => {
      try {
        readCertificate(parseCertificateLine(certificate), blob)
        return true
      } catch {
        return false
      }
    }
    const isRevokedFor = async (serial: string, blobs: Buffer[]) => {
      const krl = readKrl((await host.get('/ssh/krl?format=krl')).rawPayload)
      return blobs.map((blob) => isRevoked(krl, blob, BigInt(serial)))
    }
    const [old = Buffer.alloc(0)] = await lines()
    const first = await issue(person, key)
    const krlBefore = (await host.get('/ssh/krl?format=krl')).headers['etag']

    const publish = { name: 'rotate-ssh-ca', how: 'publish', trustedForMs: 24 * HOUR } as const
    assert.match(
      await runCommand(services, publish),
      /^ssh-ca-2 is published, and hosts trust both keys\. It signs from 2026-01-16T12:/,
    )
    assert.match(await runCommand(services, publish), /^ssh-ca-2 is published/, 'a second command adds no third key')
    const [active = Buffer.alloc(0), next = Buffer.alloc(0), ...others] = await lines('?trusted=all')
    assert.deepEqual([active, others], [old, []])
    assert.deepEqual(await lines(), [old], 'hosts that ask for one key get the one that signs')
    assert.equal((await host.get('/ssh/ca.pub?trusted=some')).statusCode, 400)
    assert.notEqual((await host.get('/ssh/krl?format=krl')).headers['etag'], krlBefore)
    await person.post(`/api/ssh/certs/${first.id}/revoke`, {})
    assert.deepEqual(await isRevokedFor(first.serial, [old, next]), [true, true])
    assert.ok(isSignedBy(await issue(person, key), old))

    clock.advance(24 * HOUR + 60_000)
    await app.tick()
    const session = await signInCertificateManager(app)
    const second = await issue(session, await saveKey(session), 3600)
    assert.ok(isSignedBy(second, next) && !isSignedBy(second, old))
    assert.deepEqual(await lines('?trusted=all'), [next, old])
    assert.deepEqual(await lines(), [next])

    clock.advance(26 * HOUR)
    await app.tick()
    assert.deepEqual(await lines('?trusted=all'), [next])
    const rows = await services.db.read
      .selectFrom('audit_events')
      .select('action')
      .where('target_type', '=', 'ssh_ca')
      .orderBy('at')
      .execute()
    assert.deepEqual(
      rows.map(({ action }) => action),
      ['ssh_ca.published', 'ssh_ca.activated', 'ssh_ca.retired'],
    )
  })

  test('a leaked key is replaced and withdrawn at once, on every replica', async (t) => {
    const app = await startApp(t, { engine })
    const other = engine === 'postgres' ? await startApp(t, { engine, storage: app.storage, clock: app.clock }) : app
    const old = app.services.sshCa.blob
    assert.match(
      await runCommand(app.services, { name: 'rotate-ssh-ca', how: 'publish', trustedForMs: 0 }),
      /^ssh-ca-2 signs from now on\./,
    )
    assert.equal(
      await runCommand(app.services, { name: 'rotate-ssh-ca', how: 'retire-previous' }),
      'Withdrawn: ssh-ca-1. Hosts no longer trust it.',
    )
    assert.equal(
      await runCommand(app.services, { name: 'rotate-ssh-ca', how: 'retire-previous' }),
      'There was no earlier CA key.',
    )
    for (let tries = 0; tries < 200 && other.services.sshCa.trusted().some(({ blob }) => blob.equals(old)); tries++)
      await new Promise((resolve) => setTimeout(resolve, 25))
    assert.equal(other.services.sshCa.id, 'ssh-ca-2')
    assert.equal((await anonymous(other).get('/ssh/ca.pub?trusted=all')).body.trim().split('\n').length, 1)
  })

  test('of hosts: people trust both keys, hosts renew when the new one signs, and the old one is withdrawn after a month', async (t) => {
    const app = await startApp(t, { engine, config: { sshHostPatterns: ['*.example.com'] } })
    const { services, clock } = app
    const person = anonymous(app)
    const trusted = async () => {
      const { body } = await person.get('/ssh/known_hosts')
      const lines = body.split('\n').filter((line) => line.startsWith('@cert-authority *.example.com '))
      const keys = lines.map((line) => line.slice('@cert-authority *.example.com '.length))
      assert.equal((await person.get('/ssh/host-ca.pub?trusted=all')).body, keys.map((key) => `${key}\n`).join(''))
      assert.equal((await person.get('/ssh/host-ca.pub')).body, `${keys[0]}\n`)
      return keys.map((key) => parsePublicKey(key).blob)
    }
    const signerOf = ({ certificates: [first] }: Enrolled, blobs: Buffer[]) =>
      blobs.findIndex((blob) => {
        try {
          readCertificate(parseCertificateLine(first?.certificate ?? ''), blob, HOST_CERTIFICATE)
          return true
        } catch {
          return false
        }
      })
    const [old = Buffer.alloc(0)] = await trusted()
    const admin = await signedInPerson(app, { admin: true })
    const created = await createHost(admin, { hostnames: ['web1.example.com'] })
    let host = await enroll(app, created.enrollmentToken, newPublicKey())
    const shouldRenew = async () =>
      (await hostWith(app, host.hostToken).post('/ssh/hosts/report', { krlVersion: 'x', sshdVersion: 'x' })).json<{
        renew: boolean
      }>().renew
    const renew = async () => {
      host = (await hostWith(app, host.hostToken).post('/ssh/hosts/renew')).json<Enrolled>()
    }
    assert.equal(signerOf(host, [old]), 0)

    clock.advance(HOUR)
    const rotation = { name: 'rotate-ssh-ca', of: 'hosts' } as const
    assert.match(
      await runCommand(services, { ...rotation, how: 'publish', trustedForMs: 24 * HOUR }),
      /^ssh-host-ca-2 is published, and people trust both keys\. It signs from 2026-01-16T13:/,
    )
    assert.equal(services.sshCa.trusted().length, 1, 'the CA of users has the key that it had')
    const [first, next = Buffer.alloc(0), ...others] = await trusted()
    assert.deepEqual([first, others], [old, []])
    assert.equal(await shouldRenew(), false)
    await renew()
    assert.equal(signerOf(host, [old, next]), 0)

    clock.advance(24 * HOUR + 60_000)
    await app.tick()
    assert.deepEqual(await trusted(), [next, old])
    assert.equal(await shouldRenew(), true)
    clock.advance(5 * 60_000)
    await renew()
    assert.equal(signerOf(host, [old, next]), 1)
    assert.equal(await shouldRenew(), false)
    const revoke = await admin.delete(`/api/ssh/hosts/${created.host.id}`)
    assert.equal(revoke.statusCode, 200, revoke.body)
    const krl = readKrl((await person.get('/ssh/host-krl?format=krl')).rawPayload)
    const serial = BigInt(host.certificates[0]?.serial ?? 0)
    assert.deepEqual(
      [old, next].map((blob) => isRevoked(krl, blob, serial)),
      [true, true],
    )

    clock.advance(29 * 24 * HOUR)
    await app.tick()
    assert.deepEqual(await trusted(), [next, old], 'a certificate that it signed may still be valid')
    clock.advance(2 * 24 * HOUR)
    await app.tick()
    assert.deepEqual(await trusted(), [next])

    assert.match(
      await runCommand(services, { ...rotation, how: 'publish', trustedForMs: 0 }),
      /^ssh-host-ca-3 signs from now on\. People/,
    )
    assert.equal(
      await runCommand(services, { ...rotation, how: 'retire-previous' }),
      'Withdrawn: ssh-host-ca-2. People no longer trust it.',
    )
    assert.equal((await trusted()).length, 1)
  })
})
