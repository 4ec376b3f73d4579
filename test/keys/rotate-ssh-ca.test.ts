import assert from 'node:assert/strict'
import { test } from 'node:test'
import { runCommand } from '../../src/control/commands.ts'
import { parsePublicKey } from '../../src/openssh/public-key.ts'
import { parseCertificateLine, readCertificate } from '../openssh/read-certificate.ts'
import { isRevoked, readKrl } from '../openssh/read-krl.ts'
import { issue, saveKey, signInCertificateManager } from '../ssh/public-keys.ts'
import { startApp } from '../support/app.ts'
import { onEachEngine } from '../support/engines.ts'
import { anonymous } from '../support/people.ts'

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
})
