import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { chmodSync, existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { SMTPServer } from 'smtp-server'
import { readSettingsFile } from '../../../src/platform/config/config-file.ts'
import { readConfig } from '../../../src/platform/config/config.ts'
import { VARIABLES } from '../../../src/platform/config/variables.ts'
import { VERSION } from '../../../src/platform/config/version.ts'
import { startApp } from '../../support/app.ts'
import { latchkey } from '../../support/command.ts'
import { freePort } from '../../support/free-port.ts'
import { makeReadableCopy } from '../../support/readable-copy.ts'
import { REAL_CLOCK, startReplica } from '../../support/replicas.ts'
import { newFolder, newStorage } from './temporary.ts'

const COMMANDS = [
  'serve',
  'check-config',
  'init',
  'status',
  'version',
  'backup',
  'restore',
  'restored',
  'admin',
  'keys',
]

test('every command has help with an example', async (t) => {
  const storage = await newStorage(t)
  const { stdout } = await latchkey(storage, ['--help'])
  await Promise.all(
    COMMANDS.map(async (name) => {
      assert.match(stdout, new RegExp(`^  latchkey ${name}\\b`, 'm'))
      const help = await latchkey(storage, [name, '--help'])
      assert.equal(help.code, 0)
      assert.match(
        help.stdout,
        new RegExp(`^Usage: latchkey ${name}\\b.*\\n\\n[^]+\\n\\nExample:\\n  .*latchkey ${name}`),
      )
    }),
  )
})

test('init writes a settings file with every setting, which the service can read, and never overwrites one', async (t) => {
  const storage = await newStorage(t)
  const file = join(newFolder(t), 'etc/latchkey.env')
  assert.equal((await latchkey(storage, ['init', file])).code, 0)
  assert.equal(statSync(file).mode & 0o777, 0o600)
  const text = readFileSync(file, 'utf8')
  for (const name of Object.keys(VARIABLES)) assert.match(text, new RegExp(`^#${name}=`, 'm'))
  assert.deepEqual({ ...readSettingsFile(file) }, {})
  const values = [...text.matchAll(/^#([A-Z][A-Z0-9_]*)=(.+)$/gm)].map(([, name = '', value = '']) => [name, value])
  assert.equal(readConfig(Object.fromEntries(values)).baseUrl, 'https://id.example.com')

  const again = await latchkey(storage, ['init', file])
  assert.deepEqual([again.code, again.stderr], [1, `latchkey: ${file} is there already. It is left as it is.\n`])
})

test('a settings file that is named is used, the environment wins over it, and one that is missing is an error', async (t) => {
  const storage = await newStorage(t)
  const folder = newFolder(t)
  const file = join(folder, 'my.env')
  writeFileSync(file, `PORT=3111\nDATA_DIR=${folder}/from-file\n`)
  const status = await latchkey(storage, ['status', '--env-file', file])
  assert.equal(status.code, 1)
  assert.match(
    status.stdout,
    new RegExp(`^Data: ${storage.dataDir}\\. Settings: ${file}\\.\nNothing answers at http://127.0.0.1:3111`),
  )
  const missing = await latchkey(storage, [`--env-file=${folder}/none.env`, 'status'])
  assert.equal(missing.code, 1)
  assert.match(missing.stderr, /none\.env can't be read: ENOENT/)
  assert.equal((await latchkey(storage, ['status', '--env-file'])).code, 2)
})

test('status and /version name the version of the running service', async (t) => {
  const storage = await newStorage(t)
  const replica = await startReplica(t, storage)
  assert.deepEqual(await (await fetch(`${replica.address}/version`)).json(), { version: VERSION })
  const { code, stdout } = await latchkey(storage, ['status'], { PORT: String(replica.port) })
  assert.equal(code, 0)
  assert.match(
    stdout,
    new RegExp(`Latchkey ${VERSION} answers at ${replica.address}\\.\nIt is ready to serve requests\\.\n$`),
  )
  assert.match(replica.output(), new RegExp(`"version":"${VERSION}".*"dataDir":"[^"]+","settingsFile":null`))
})

test('check-config tries database, keys, mail and store, says what is wrong, and creates nothing', async (t) => {
  const storage = await newStorage(t)
  const fresh = await latchkey(storage, ['check-config'])
  assert.equal(fresh.code, 0, fresh.stdout)
  assert.match(fresh.stdout, /^database +ok +\S+ will be created$/m)
  assert.match(fresh.stdout, /^mail +warning +no mail server/m)
  assert.ok(!existsSync(storage.databaseUrl.slice('sqlite:'.length)))

  await (await startApp(t, { storage, clock: REAL_CLOCK })).close()
  const mailServer = new SMTPServer({ authOptional: true, disabledCommands: ['STARTTLS'], logger: false })
  await new Promise<void>((resolve) => void mailServer.listen(0, '127.0.0.1', resolve))
  t.after(() => new Promise<void>((resolve) => mailServer.close(resolve)))
  const { port } = mailServer.server.address() as { port: number }
  const smtp = { SMTP_URL: `smtp://127.0.0.1:${port}` }
  const good = await latchkey(storage, ['check-config'], smtp)
  assert.equal(good.code, 0, good.stdout)
  assert.match(good.stdout, /^secret key +ok +SECRET_KEY$/m)
  assert.match(good.stdout, /^mail +ok +127\.0\.0\.1:\d+ accepts the connection/m)

  const closed = await freePort()
  const bad = await latchkey(storage, ['check-config'], {
    SECRET_KEY: 'another-secret-key-of-32-characters-or-more',
    SMTP_URL: `smtp://user:hunter2@127.0.0.1:${closed}`,
    S3_URL: `http://127.0.0.1:${closed}/bucket`,
    S3_ACCESS_KEY_ID: 'key',
    S3_SECRET_ACCESS_KEY: 'hunter2',
    S3_REGON: 'eu',
  })
  assert.equal(bad.code, 1)
  assert.match(bad.stdout, /^settings +warning +S3_REGON is set .* Did you mean S3_REGION\?/m)
  assert.match(bad.stdout, /^database +ok/m)
  assert.match(bad.stdout, /^secret key +failed +the \S+ key \S+ can't be opened with it$/m)
  assert.match(bad.stdout, /^mail +failed/m)
  assert.match(bad.stdout, /^pictures +failed/m)
  assert.ok(!(bad.stdout + bad.stderr).includes('hunter2'))

  const noDatabase = await latchkey(storage, ['check-config'], {
    DATABASE_URL: `postgres://latchkey:hunter2@127.0.0.1:${closed}/latchkey`,
  })
  assert.equal(noDatabase.code, 1)
  assert.match(noDatabase.stdout, /^database +failed +The database at 127\.0\.0\.1:\d+ can't be reached/m)
})

const NOBODY = 65534
const isRoot = process.getuid?.() === 0

/** An installation of its own, in a folder with this mode, and data that belongs to another user. */
async function installedFor(t: TestContext, mode: number) {
  const storage = await newStorage(t)
  await (await startApp(t, { storage, clock: REAL_CLOCK })).close()
  execFileSync('chown', ['-R', `${NOBODY}:${NOBODY}`, storage.dataDir])
  const root = join(newFolder(t), 'installed')
  makeReadableCopy(join(import.meta.dirname, '../../..'), ['package.json', 'dist', 'node_modules/@node-rs'], root)
  chmodSync(dirname(root), mode)
  return { storage, root }
}

test('a command of root acts as the user that the data folder belongs to', { skip: !isRoot }, async (t) => {
  const { storage, root } = await installedFor(t, 0o755)
  const { code, stderr } = await latchkey(storage, ['keys', 'rotate'], {}, root)
  assert.equal(code, 0, stderr)
  assert.equal(statSync(storage.databaseUrl.slice('sqlite:'.length)).uid, NOBODY)
})

test(
  'a command of root says so when the owner of the data folder may not read the program',
  { skip: !isRoot },
  async (t) => {
    const { storage, root } = await installedFor(t, 0o700)
    for (const args of [['keys', 'rotate'], ['backup', join(newFolder(t), 'backup')], ['check-config']]) {
      const { code, stderr } = await latchkey(storage, args, {}, root)
      assert.equal(code, 1, args.join(' '))
      assert.match(
        stderr,
        /^latchkey: \S+ belongs to the user with the id 65534, who may not read Latchkey in \S+\/installed\. [^\n]*\n$/,
      )
    }
  },
)
