import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { recover } from '../../../src/operations/backup/recover.ts'
import { runCommand } from '../../../src/operations/control/commands.ts'
import { formatPublicKey } from '../../../src/platform/openssh/public-key.ts'
import { temporaryFolder } from '../../platform/openssh/ssh-keygen.ts'
import { startApp, type TestApp } from '../../support/app.ts'
import { onEachEngine } from '../../support/engines.ts'
import { anonymous } from '../../support/people.ts'
import { until } from '../../support/replicas.ts'

const folder = temporaryFolder()
const DAY = 24 * 3600_000

interface Rotation {
  installation: string
  kind: string
  number: number
  keys: string[]
}

const readLine = (line: string) => {
  const [content = '', signature = '', ...others] = line.split(' ')
  assert.deepEqual(others, [])
  const bytes = Buffer.from(content, 'base64')
  return { bytes, signature, rotation: JSON.parse(bytes.toString()) as Rotation }
}

/** Whether ssh-keygen accepts the signature of a line by this key, in this namespace. */
function verifies(line: string, key: string, { namespace = 'latchkey-ca', change = '' } = {}): boolean {
  const { bytes, signature } = readLine(line)
  const [signers, file] = [join(folder, 'signers'), join(folder, 'signature')]
  writeFileSync(signers, `ca namespaces="latchkey-ca" ${key}\n`)
  writeFileSync(file, `-----BEGIN SSH SIGNATURE-----\n${signature}\n-----END SSH SIGNATURE-----\n`)
  const args = ['-Y', 'verify', '-f', signers, '-I', 'ca', '-n', namespace, '-s', file]
  return spawnSync('ssh-keygen', args, { input: Buffer.concat([bytes, Buffer.from(change)]) }).status === 0
}

const readChain = async (app: TestApp): Promise<string[]> => {
  const answer = await anonymous(app).get('/ssh/ca-chain')
  assert.equal(answer.statusCode, 200, answer.body)
  return answer.body.split('\n').slice(0, -1)
}
const readTrusted = async (app: TestApp, path = '/ssh/ca.pub'): Promise<string[]> =>
  (await anonymous(app).get(`${path}?trusted=all`)).body
    .trimEnd()
    .split('\n')
    .map((line) => line.split(' ').slice(0, 2).join(' '))
const publish = { name: 'rotate-ssh-ca', how: 'publish', trustedForMs: 0 } as const

onEachEngine('the rotations of the certificate authorities', (engine) => {
  test('are lines signed by the key that is replaced, which ssh-keygen verifies, and lead from each key to the next', async (t) => {
    const app = await startApp(t, { engine })
    assert.deepEqual(await readChain(app), [], 'there was none')
    const [first = ''] = await readTrusted(app)
    const [firstOfHosts = ''] = await readTrusted(app, '/ssh/host-ca.pub')
    await runCommand(app.services, { ...publish, trustedForMs: DAY })
    await runCommand(app.services, { ...publish, trustedForMs: DAY })
    const [line = '', ...others] = await readChain(app)
    assert.deepEqual(others, [], 'changing the time of a rotation is none')
    const { installation, ...rotation } = readLine(line).rotation
    assert.deepEqual(rotation, { kind: 'user', number: 1, keys: await readTrusted(app) })
    assert.equal(rotation.keys.length, 2)
    assert.match(installation, /^[0-9a-f-]{36}$/)
    const second = rotation.keys[1] ?? ''
    assert.ok(verifies(line, first))
    assert.ok(!verifies(line, second), 'the next key does not introduce itself')
    assert.ok(!verifies(line, first, { change: ' ' }))
    assert.ok(!verifies(line, first, { namespace: 'file' }))

    app.clock.advance(DAY + 60_000)
    await app.tick()
    assert.deepEqual(await readChain(app), [line], 'nothing new is trusted when the next key begins to sign')
    await runCommand(app.services, publish)
    await runCommand(app.services, { ...publish, of: 'hosts' })
    const [kept, later = '', ofHosts = '', ...more] = await readChain(app)
    assert.deepEqual([kept, more], [line, []])
    assert.ok(verifies(later, second))
    assert.ok(!verifies(later, first))
    const { number, keys } = readLine(later).rotation
    assert.deepEqual([number, keys.length, keys.includes(first), keys[0]], [2, 3, true, second])
    assert.ok(verifies(ofHosts, firstOfHosts))
    assert.deepEqual(readLine(ofHosts).rotation, {
      installation,
      kind: 'host',
      number: 1,
      keys: (await readTrusted(app, '/ssh/host-ca.pub')).toReversed(),
    })
  })

  test('that are begun at once, on two replicas, are one with one line', async (t) => {
    const app = await startApp(t, { engine })
    const other = engine === 'postgres' ? await startApp(t, { engine, storage: app.storage, clock: app.clock }) : app
    const rotation = { ...publish, trustedForMs: DAY }
    await Promise.all([app, other, app, other].map(({ services }) => runCommand(services, rotation)))
    await until(async () => (await readChain(other)).length === 1)
    assert.equal((await readChain(app)).length, 1)
    assert.deepEqual(await readChain(app), await readChain(other))
  })

  test('keep the installation when a backup is restored, and give no number twice', async (t) => {
    const app = await startApp(t, { engine })
    await runCommand(app.services, publish)
    await recover(app.services, { keepAccess: true })
    await runCommand(app.services, publish)
    const [before, after] = (await readChain(app)).map((line) => readLine(line).rotation)
    assert.equal(after?.installation, before?.installation)
    assert.ok((after?.number ?? 0) > (before?.number ?? 0) + 1_000_000)
  })

  test('are public, and cached like the keys', async (t) => {
    const app = await startApp(t, { engine })
    await runCommand(app.services, publish)
    const answer = await anonymous(app).get('/ssh/ca-chain')
    const key = await anonymous(app).get('/ssh/ca.pub')
    assert.equal(answer.headers['content-type'], 'text/plain; charset=utf-8')
    for (const name of ['cache-control', 'access-control-allow-origin'] as const)
      assert.equal(answer.headers[name], key.headers[name])
    const known = { 'if-none-match': String(answer.headers['etag']) }
    assert.equal((await anonymous(app).get('/ssh/ca-chain', undefined, known)).statusCode, 304)
    assert.equal((await anonymous(app).get('/ssh/ca-chain', undefined, { 'if-none-match': '"x"' })).statusCode, 200)
  })

  test('are bounded: of very many the last ones are listed', async (t) => {
    const app = await startApp(t, { engine })
    const { db, sshCa } = app.services
    const rows = Array.from({ length: 250 }, (_, index) => ({
      kind: 'user' as const,
      number: index + 1,
      line: `line ${index + 1}`,
      created_at: 1,
    }))
    await db.transaction((trx) => trx.insertInto('ssh_ca_rotations').values(rows).execute())
    await sshCa.reload()
    const lines = await readChain(app)
    assert.deepEqual([lines.length, lines[0], lines.at(-1)], [200, 'line 51', 'line 250'])
  })

  test('name the keys that ca.pub lists', async (t) => {
    const app = await startApp(t, { engine })
    await runCommand(app.services, { ...publish, trustedForMs: DAY })
    const { sshCa } = app.services
    const [line = ''] = await readChain(app)
    assert.deepEqual(
      readLine(line).rotation.keys,
      sshCa.trusted().map(({ blob }) => formatPublicKey(blob)),
    )
  })
})
