import assert from 'node:assert/strict'
import { statfsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { readForLong } from '../support/other-process.ts'
import { startReplica, until } from '../support/replicas.ts'
import { mountSmallDisk } from '../support/small-disk.ts'
import { createInstallation, ENVIRONMENT, type Installation } from './installation.ts'
import { assertSoundFile } from './invariants.ts'
import { figure } from './run-options.ts'

const AT_ONCE = 8
const MAX_WRITES = 20_000

/** Writes until a write is refused, as every one must be that is not acknowledged. Returns how many were acknowledged. */
async function writeUntilRefused(installation: Installation, prefix: string): Promise<number> {
  let written = 0
  let isRefused = false
  const work = async () => {
    while (!isRefused && written < MAX_WRITES) {
      const json = { name: `${prefix}-${written++}`, permissions: [], description: 'x'.repeat(200) }
      const { cookie } = installation.admin
      const answer = await installation.send('POST', '/api/admin/roles', { cookie, json })
      if (answer.status === 201) continue
      assert.equal(answer.status, 503, answer.body)
      assert.ok(Number(answer.headers.get('retry-after')) > 0)
      isRefused = true
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work))
  assert.ok(isRefused, 'a write was refused')
  return written
}

for (const restarts of [false, true]) {
  test(`a log that grows beside a long reader leaves room on the disk, and is shortened when the reader has ended${restarts ? ', also if the service was killed and started beside it' : ''}`, async (t) => {
    const disk = mountSmallDisk(t)
    assert.ok(disk, 'This needs a small disk: run it as root, with sudo, or where user namespaces are allowed.')
    await fillWithLog(t, disk, restarts)
  })
}

async function fillWithLog(
  t: TestContext,
  disk: NonNullable<ReturnType<typeof mountSmallDisk>>,
  restarts: boolean,
): Promise<void> {
  const start = (within: string[]) =>
    startReplica(
      t,
      { databaseUrl: `sqlite:${join(disk.folder, 'latchkey.db')}` },
      { environment: { ...ENVIRONMENT, DATA_DIR: disk.folder }, within },
    )
  let replica = await start(disk.within)
  const installation = await createInstallation(replica.address)
  const reader = await readForLong(t, join(disk.folder, 'latchkey.db'), disk.beside(replica.pid))
  const folder = () => disk.localPath(replica.pid)
  const written = await writeUntilRefused(installation, 'beside')
  const free = () => {
    const { bavail, bsize } = statfsSync(folder())
    return bavail * bsize
  }
  const logBytes = () => statSync(join(folder(), 'latchkey.db-wal'), { throwIfNoEntry: false })?.size ?? 0
  const longest = logBytes()
  const left = free()
  assert.ok(longest > 8 << 20, `the log has ${longest} bytes`)
  assert.ok(left > 0)
  for (const path of ['/readyz', '/ssh/krl', '/.well-known/jwks.json'])
    await installation.expectStatus(200, 'GET', path)
  await installation.asAdmin(200, 'GET', '/api/admin/roles')
  await until(async () => replica.output().includes('The disk is nearly full'))

  if (restarts) {
    // The disk stays mounted for as long as the reader is there.
    await replica.kill()
    replica = await start(disk.beside(reader.pid))
    installation.address = replica.address
    await installation.asAdmin(200, 'GET', '/api/admin/roles')
    // Killing it may have freed a few pages.
    await until(async () => {
      const { cookie } = installation.admin
      const json = { name: `filling-${performance.now()}`, permissions: [] }
      return (await installation.send('POST', '/api/admin/roles', { cookie, json })).status === 503
    })
  }
  await reader.end()
  const endedAt = performance.now()
  await until(async () => {
    const { cookie } = installation.admin
    const json = { name: `after-${performance.now()}`, permissions: [] }
    return (await installation.send('POST', '/api/admin/roles', { cookie, json })).status === 201
  })
  const recoveredMs = performance.now() - endedAt
  assert.ok(logBytes() < longest / 2, `the log has ${logBytes()} bytes`)
  assert.ok(free() > left)
  await assertSoundFile(join(folder(), 'latchkey.db'))
  figure(t, 'Long log', 'acknowledged writes beside the reader', written)
  figure(t, 'Long log', 'size of the log when writes were refused, bytes', longest)
  figure(t, 'Long log', 'first write after the reader has ended, ms', recoveredMs)
}
