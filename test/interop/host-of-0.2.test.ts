import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { hash } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { runCommand } from '../../src/operations/control/commands.ts'
import { digest } from '../../src/platform/crypto/digest.ts'
import { isRevoked, readKrl } from '../platform/openssh/read-krl.ts'
import { createHost, type ShownHost } from '../ssh/hosts/managed-host.ts'
import { issue, saveKey, signInCertificateUser } from '../ssh/public-keys.ts'
import { startApp } from '../support/app.ts'
import { freePort } from '../support/free-port.ts'
import { signedInPerson } from '../support/people.ts'
import { REAL_CLOCK, until } from '../support/replicas.ts'
import { newRoot, read, run } from './ssh-host-scripts.ts'

const SYNC = join(import.meta.dirname, 'host-0.2/latchkey-ssh-sync')
/** The script pauses for 5 seconds after a request that was refused. */
const PATIENCE_MS = 30_000

async function startService(t: TestContext) {
  const port = await freePort()
  const config = { baseUrl: `http://127.0.0.1:${port}` }
  const app = await startApp(t, { clock: REAL_CLOCK, config, worksEveryMs: 250 })
  await app.app.listen({ port, host: '127.0.0.1' })
  const admin = await signedInPerson(app, { admin: true })
  return { app, admin, url: `http://127.0.0.1:${port}` }
}

test('the sync of 0.2 that is tested is the one of its release', () => {
  const content = readFileSync(SYNC)
  assert.equal(hash('sha256', content, 'hex'), 'f5081ccdab0b0b40d36c2c12441200879ba631e1f5aef0ccddcd198a5e72c870')
})

test('a host of 0.2 with a token of 0.2 follows revocations, accounts, renewals and a new key of the authority, and closes when it is deleted', async (t) => {
  const { app, admin, url } = await startService(t)
  const { host, enrollmentToken } = await createHost(admin)
  const person = await signInCertificateUser(app)
  const name = person.user.preferredUsername
  const root = newRoot(t)
  const environment = { LATCHKEY_ROOT: root, LATCHKEY_URL: url }
  const enrolled = await run(SYNC, ['--enroll'], { ...environment, LATCHKEY_ENROLLMENT: enrollmentToken })
  assert.equal(enrolled.code, 0, enrolled.output)

  const tokenFile = join(root, 'etc/ssh/latchkey_host_token')
  const readToken = () => /Bearer ([\w-]+)/.exec(readFileSync(tokenFile, 'utf8'))?.[1] ?? ''
  const ofThisVersion = readToken()
  assert.ok(ofThisVersion.startsWith(`ht_${host.id}_`))
  const ofThatVersion = `ht_${'o'.repeat(43)}`
  await app.services.db.transaction((trx) =>
    trx
      .updateTable('ssh_host_tokens')
      .set({ token_hash: digest(ofThatVersion), is_used: 1 })
      .where('token_hash', '=', digest(ofThisVersion))
      .execute(),
  )
  writeFileSync(tokenFile, `header = "Authorization: Bearer ${ofThatVersion}"\n`)
  const single = await run(SYNC, [], environment)
  assert.equal(single.code, 0, single.output)

  const shown = async () => (await admin.get(`/api/ssh/hosts/${host.id}`)).json<{ host: ShownHost }>().host
  assert.equal((await shown()).current, true)
  const listed = () => {
    const file = join(root, 'etc/ssh/latchkey_principals', name)
    return existsSync(file) ? readFileSync(file, 'utf8') : ''
  }
  assert.equal(listed(), `${name}\n`)

  const child = spawn(SYNC, ['--wait'], { env: { PATH: process.env['PATH'], ...environment }, stdio: 'ignore' })
  const ended = once(child, 'exit')
  t.after(async () => {
    child.kill()
    await ended
  })
  const waits = () => until(async () => app.services.longPolls.count() === 2, PATIENCE_MS)
  await waits()

  const key = await saveKey(person)
  /** Revokes a certificate, and waits until the host refuses it. */
  const revokeOne = async () => {
    const { id, serial } = await issue(person, key)
    await admin.post(`/api/ssh/certs/${id}/revoke`, {})
    const isRefused = () =>
      isRevoked(readKrl(read(root, 'etc/ssh/revoked_keys')), app.services.sshCa.blob, BigInt(serial))
    await until(async () => isRefused(), PATIENCE_MS)
  }
  await revokeOne()
  await waits()

  // The next report, after a revocation, is answered with the request to renew.
  await admin.patch(`/api/ssh/hosts/${host.id}`, { hostnames: ['renamed.example.com'] })
  await revokeOne()
  await until(async () => readToken() !== ofThatVersion, PATIENCE_MS)
  assert.ok(readToken().startsWith(`ht_${host.id}_`))
  const certificate = async () =>
    (await run('ssh-keygen', ['-L', '-f', join(root, 'etc/ssh/ssh_host_ed25519_key-cert.pub')], {})).output
  await until(async () => (await certificate()).includes('renamed.example.com'), PATIENCE_MS)

  await runCommand(app.services, { name: 'rotate-ssh-ca', how: 'publish', trustedForMs: 3600_000 })
  // It asks for the keys and then waits for the list, so it has the new key when it has got another list twice.
  await revokeOne()
  await revokeOne()
  const trusted = () => String(read(root, 'etc/ssh/trusted_user_ca.pub')).trim().split('\n').length
  await until(async () => trusted() === 2, PATIENCE_MS)
  await waits()
  assert.equal((await shown()).attention, null, 'nothing that it did looks like another one’s')

  await admin.delete(`/api/ssh/hosts/${host.id}`)
  await until(async () => listed() === '', PATIENCE_MS)
})

test('a line of this version enrolls a host of 0.2 whose token is refused', async (t) => {
  const { app, admin, url } = await startService(t)
  const { host, enrollmentToken } = await createHost(admin)
  const root = newRoot(t)
  const environment = { LATCHKEY_ROOT: root, LATCHKEY_URL: url }
  const enroll = (token: string) => run(SYNC, ['--enroll'], { ...environment, LATCHKEY_ENROLLMENT: token })
  assert.equal((await enroll(enrollmentToken)).code, 0)
  assert.equal((await run(SYNC, [], environment)).code, 0)
  await app.services.db.transaction((trx) => trx.deleteFrom('ssh_host_tokens').where('host_id', '=', host.id).execute())
  const attention = async () =>
    (await admin.get(`/api/ssh/hosts/${host.id}`)).json<{ host: ShownHost }>().host.attention
  assert.notEqual((await run(SYNC, [], environment)).code, 0)
  assert.equal((await attention())?.reason, 'token_refused')
  const again = (await admin.post(`/api/ssh/hosts/${host.id}/enrollment`, {})).json<{ enrollmentToken: string }>()
  const { code, output } = await enroll(again.enrollmentToken)
  assert.equal(code, 0, output)
  assert.equal((await run(SYNC, [], environment)).code, 0)
  assert.equal(await attention(), null)
})
