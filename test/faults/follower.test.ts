import assert from 'node:assert/strict'
import { mkdirSync, renameSync, rmSync } from 'node:fs'
import { test } from 'node:test'
import { findLastBackup } from '../../src/platform/config/data-files.ts'
import { latchkey } from '../support/command.ts'
import { startCuttableProxy } from '../support/cuttable-proxy.ts'
import { createStorage } from '../support/engines.ts'
import { startFollower } from '../support/follower.ts'
import { startReplica, until } from '../support/replicas.ts'
import { startS3 } from '../support/s3.ts'
import { createInstallation, ENVIRONMENT, type Installation } from './installation.ts'
import { figure, fork, pick, rounds, seededRandom } from './run-options.ts'

const WRITES = 10

async function listRoles({ asAdmin }: Installation): Promise<Set<string>> {
  const names = new Set<string>()
  for (let cursor: string | null = ''; cursor !== null;) {
    const query: string = cursor === '' ? '' : `?cursor=${cursor}`
    const page = (await asAdmin(200, 'GET', `/api/admin/roles${query}`)).json<{
      roles: { name: string }[]
      nextCursor: string | null
    }>()
    for (const { name } of page.roles) names.add(name)
    cursor = page.nextCursor
  }
  return names
}

test('a follower whose store fails for a while loses nothing that was acknowledged, and never reports a copy that is not there', async (t) => {
  const random = fork(seededRandom(t))
  const storage = await createStorage('sqlite')
  t.after(storage.remove)
  const { config: s3 } = await startS3(t)
  const proxy = await startCuttableProxy(t, s3.url)
  const credentials = { S3_ACCESS_KEY_ID: s3.accessKeyId, S3_SECRET_ACCESS_KEY: s3.secretAccessKey }
  const start = () => startReplica(t, storage, { environment: { ...ENVIRONMENT, DATA_DIR: storage.dataDir } })
  let replica = await start()
  const installation = await createInstallation(replica.address)
  let follower = await startFollower(t, storage, proxy.url, credentials)
  const names: string[] = []
  const write = async () => {
    const name = `role-${names.length}`
    await installation.asAdmin(201, 'POST', '/api/admin/roles', { name, permissions: [] })
    names.push(name)
  }
  const writeSome = async () => {
    for (let each = 0; each < WRITES; each++) await write()
  }
  const lastBackup = () => findLastBackup(storage.dataDir) ?? 0

  const count = rounds(2, 0.2)
  let restarts = 0
  let restores = 0
  for (let round = 0; round < count; round++) {
    await writeSome()
    await proxy.cut()
    // What was on its way when the store went away counts as stored only if it is.
    const cutAt = Date.now()
    await writeSome()
    const meanwhile = pick(random, ['nothing', 'the service restarts', 'the follower is killed'])
    if (meanwhile === 'the service restarts') {
      assert.equal(await replica.stop(), 0)
      replica = await start()
      installation.address = replica.address
      restarts++
    }
    if (meanwhile === 'the follower is killed') await follower.kill()
    else await until(async () => follower.output().includes('could not be copied'))
    assert.ok(lastBackup() <= cutAt)
    await writeSome()
    await proxy.restore()
    if (meanwhile === 'the follower is killed') follower = await startFollower(t, storage, proxy.url, credentials)
    await writeSome()
    const acknowledgedAt = Date.now()
    await until(async () => lastBackup() >= acknowledgedAt)

    // The machine loses its data folder while everything runs.
    await Promise.all([replica.kill(), follower.kill()])
    const lost = `${storage.dataDir}.lost`
    renameSync(storage.dataDir, lost)
    mkdirSync(storage.dataDir, { mode: 0o700 })
    const restored = await latchkey(storage, ['restore', '--keep-access', s3.url], credentials)
    assert.equal(restored.code, 0, restored.stderr)
    rmSync(lost, { recursive: true })
    replica = await start()
    installation.address = replica.address
    const there = await listRoles(installation)
    assert.deepEqual(
      names.filter((name) => !there.has(name)),
      [],
    )
    restores++
    follower = await startFollower(t, storage, proxy.url, credentials)
  }
  assert.equal(await follower.stop(), 0)
  figure(t, 'Followed copy', 'times that the store was away', count)
  figure(t, 'Followed copy', 'restarts of the service meanwhile', restarts)
  figure(t, 'Followed copy', 'restores, with every acknowledged write', restores)
  figure(t, 'Followed copy', 'acknowledged writes', names.length)
})
