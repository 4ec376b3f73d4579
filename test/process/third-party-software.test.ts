import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { cpSync, globSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { pathToFileURL } from 'node:url'

const ROOT = join(import.meta.dirname, '../..')
const SOFTWARE = pathToFileURL(join(ROOT, 'test/third-party/software.ts')).href

/** A checkout in which nothing was fetched yet, and from which no registry can be reached. */
function fetchOffline(t: TestContext, environment: Record<string, string> = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-offline-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  cpSync(join(ROOT, 'test/third-party/npm'), join(folder, 'test/third-party/npm'), { recursive: true })
  const program = `import { needs } from ${JSON.stringify(SOFTWARE)}
    process.stdout.write(JSON.stringify(await needs('npm')))`
  const result = spawnSync(process.execPath, ['--input-type=module', '--eval', program], {
    cwd: folder,
    env: { PATH: process.env['PATH'] ?? '', npm_config_registry: 'http://127.0.0.1:9', HOME: folder, ...environment },
    encoding: 'utf8',
  })
  return { ...result, folder }
}

test('without a network the tests with third-party software say in one line what is missing, and are skipped', (t) => {
  const { status, stdout, stderr, folder } = fetchOffline(t)
  assert.equal(status, 0, stderr)
  const { skip } = JSON.parse(stdout) as { skip: string }
  assert.match(skip, /^The third-party software from npm is missing: npm failed, .+\.$/)
  assert.ok(!skip.includes('\n'))
  // A later run with a network must not find half of it.
  assert.deepEqual(globSync('node_modules/.cache/third-party/*', { cwd: folder }), [])
})

test('without npm they are skipped as well', (t) => {
  const { stdout, stderr } = fetchOffline(t, { PATH: '/nowhere' })
  assert.match(stdout, /npm could not be run/, stderr)
})

test('on a build server they fail instead', (t) => {
  const { status, stderr } = fetchOffline(t, { CI: 'true' })
  assert.equal(status, 1)
  assert.match(stderr, /The third-party software from npm is missing/)
})

test('tests that begin while the software is fetched wait for it', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-fetched-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  const program = `import { needs } from ${JSON.stringify(SOFTWARE)}
    process.stdout.write('waits\\n')
    process.stdout.write(JSON.stringify(await needs('npm')))`
  const child = spawn(process.execPath, ['--input-type=module', '--eval', program], {
    env: { PATH: process.env['PATH'] ?? '', LATCHKEY_TEST_SOFTWARE: folder },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let output = ''
  for await (const part of child.stdout) {
    output += String(part)
    if (output === 'waits\n') writeFileSync(join(folder, 'npm.json'), '{ "folder": "/fetched" }')
  }
  assert.equal(output, 'waits\n{"folder":"/fetched","skip":false}')
})
