import assert from 'node:assert/strict'
import { readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { StartError } from '../../../src/errors.ts'
import { openServices } from '../../../src/open-services.ts'
import { readConfig } from '../../../src/platform/config/config.ts'
import { createLogger } from '../../../src/platform/http/log.ts'
import { createStorage, onEachEngine, type TestStorage } from '../../support/engines.ts'

const SECRET = 'a-secret-key-of-32-characters-or-more'

const open = (storage: TestStorage, environment: Record<string, string> = {}) =>
  openServices(readConfig({ DATA_DIR: storage.dataDir, DATABASE_URL: storage.databaseUrl, ...environment }), {
    log: createLogger('silent'),
    now: Date.now,
  })

const storedKeys = async (storage: TestStorage, environment: Record<string, string>) => {
  const services = await open(storage, environment)
  const rows = await services.db.read.selectFrom('service_keys').selectAll().orderBy('id').execute()
  await services.close()
  return rows
}

onEachEngine('keys', (engine) => {
  test('the first start creates service-id-1 and the keys of the two CAs, which are encrypted at rest and stay the same after a restart', async (t) => {
    const storage = await createStorage(engine)
    t.after(storage.remove)
    const first = await storedKeys(storage, { SECRET_KEY: SECRET })
    const again = await storedKeys(storage, { SECRET_KEY: SECRET })
    assert.deepEqual(again, first)
    assert.deepEqual(
      first.map(({ id, purpose, state }) => [id, purpose, state]),
      [
        ['service-id-1', 'signing', 'active'],
        ['ssh-ca-1', 'ssh-ca', 'active'],
        ['ssh-host-ca-1', 'ssh-host-ca', 'active'],
      ],
    )
    for (const { private_key_sealed } of first) assert.match(private_key_sealed, /^v1\.[A-Za-z0-9_-]+$/)
  })

  test('a wrong SECRET_KEY stops the start with an explanation, and creates no new keys', async (t) => {
    const storage = await createStorage(engine)
    t.after(storage.remove)
    const before = await storedKeys(storage, { SECRET_KEY: SECRET })
    await assert.rejects(open(storage, { SECRET_KEY: `${SECRET}-another` }), (error) => {
      assert.ok(error instanceof StartError)
      assert.match(error.message, /can't be opened with this SECRET_KEY/)
      return true
    })
    assert.deepEqual(await storedKeys(storage, { SECRET_KEY: SECRET }), before)
  })

  test('replicas that start concurrently on an empty database use the same keys', async (t) => {
    const storage = await createStorage(engine)
    t.after(storage.remove)
    const replicas = engine === 'postgres' ? 4 : 1
    const all = await Promise.all(Array.from({ length: replicas }, () => open(storage, { SECRET_KEY: SECRET })))
    const publicKeys = new Set(all.map(({ sshCa }) => sshCa.publicKey))
    await Promise.all(all.map((each) => each.close()))
    assert.equal(publicKeys.size, 1)
  })
})

test('without SECRET_KEY, one is created in a private file and used from then on', async (t) => {
  const storage = await createStorage('sqlite')
  t.after(storage.remove)
  await (await open(storage)).close()
  const file = join(storage.dataDir, 'secret.key')
  assert.equal(statSync(file).mode & 0o777, 0o600)
  const text = readFileSync(file, 'utf8')
  assert.match(text, /^[A-Za-z0-9_-]{43}\n$/)
  await (await open(storage)).close()
  assert.equal(readFileSync(file, 'utf8'), text)
})

test('a lost key file is not replaced while the database has encrypted keys', async (t) => {
  const storage = await createStorage('sqlite')
  t.after(storage.remove)
  await (await open(storage)).close()
  rmSync(join(storage.dataDir, 'secret.key'))
  await assert.rejects(open(storage), /SECRET_KEY is not set and .* is missing/)
})

test('a damaged key file stops the start with one line', async (t) => {
  const storage = await createStorage('sqlite')
  t.after(storage.remove)
  await (await open(storage)).close()
  writeFileSync(join(storage.dataDir, 'secret.key'), 'x\0y')
  await assert.rejects(
    open(storage),
    (error) => error instanceof StartError && /is damaged/.test(error.message) && !error.message.includes('\n'),
  )
})
