import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { MIGRATIONS } from '../../src/storage/migrations/all.ts'
import { createStorage } from '../support/engines.ts'
import { type Answer, sendRequest, sessionOf } from '../support/http-client.ts'
import { previousVersion, skip } from '../support/previous-version.ts'
import { startReplica } from '../support/replicas.ts'
import { SECRET_KEY } from '../support/settings.ts'

const password = 'correct horse battery staple'
const register = (address: string, email: string): Promise<Answer> =>
  sendRequest(address, 'POST', '/api/auth/register', { json: { email, password } })
const login = (address: string, email: string): Promise<Answer> =>
  sendRequest(address, 'POST', '/api/auth/login', { json: { email, password } })

function migrationsOf(file: string): string[] {
  const database = new DatabaseSync(file, { readOnly: true })
  const names = database.prepare('SELECT name FROM schema_migrations ORDER BY name').all()
  database.close()
  return names.map(({ name }) => String(name))
}

test(
  'data of the version before is upgraded, and its automatic backup brings that version back within a minute',
  { skip },
  async (t) => {
    const program = join(previousVersion(), 'src/main.ts')
    const storage = await createStorage('sqlite')
    t.after(storage.remove)
    const environment = { DATA_DIR: storage.dataDir, RATE_LIMITS: 'off' }
    const file = storage.databaseUrl.slice('sqlite:'.length)

    const old = await startReplica(t, storage, { environment, program })
    const cookie = sessionOf(await register(old.address, 'ada@example.com'))
    assert.equal(await old.stop(), 0)
    const before = migrationsOf(file)

    const upgraded = await startReplica(t, storage, { environment })
    assert.equal(
      (await sendRequest(upgraded.address, 'GET', '/api/auth/me', { cookie })).status,
      200,
      'the session lives',
    )
    assert.equal((await login(upgraded.address, 'ada@example.com')).status, 200)
    assert.equal((await register(upgraded.address, 'later@example.com')).status, 201)
    assert.equal(await upgraded.stop(), 0)
    assert.deepEqual(migrationsOf(file), MIGRATIONS.map(({ name }) => name).toSorted())

    const [backup = '', ...others] = readdirSync(join(storage.dataDir, 'before-upgrades'))
    assert.deepEqual(others, [], 'one backup, and none at a start that changes nothing')
    const folder = join(storage.dataDir, 'before-upgrades', backup)
    const manifest = JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8')) as { migrations: string[] }
    assert.deepEqual(manifest.migrations.toSorted(), before)

    const startedAt = Date.now()
    const kept = `${storage.dataDir}.backup`
    renameSync(folder, kept)
    t.after(() => rmSync(kept, { recursive: true, force: true }))
    for (const path of [file, `${file}-wal`, `${file}-shm`]) rmSync(path, { force: true })
    const restored = spawnSync(process.execPath, [join(previousVersion(), 'src/cli.ts'), 'restore', kept], {
      env: { PATH: '', DATA_DIR: storage.dataDir, DATABASE_URL: storage.databaseUrl, SECRET_KEY },
      encoding: 'utf8',
    })
    assert.equal(restored.status, 0, restored.stderr)
    const again = await startReplica(t, storage, { environment, program })
    assert.equal((await login(again.address, 'ada@example.com')).status, 200)
    assert.equal((await login(again.address, 'later@example.com')).status, 401)
    assert.ok(Date.now() - startedAt < 60_000)
  },
)
