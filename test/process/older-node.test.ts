import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'

const ROOT = join(import.meta.dirname, '../..')

/** Runs a file on the Node of the tests, with another version number. */
function runAs(t: TestContext, version: string, ...args: string[]) {
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-node-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const override = join(folder, 'override.cjs')
  writeFileSync(override, `Object.defineProperty(process.versions, 'node', { value: ${JSON.stringify(version)} })`)
  return spawnSync(process.execPath, ['--require', override, ...args], { cwd: folder, encoding: 'utf8' })
}

test('npm scripts and commands on an older Node exit with one line of instructions', (t) => {
  for (const args of [[join(ROOT, 'bin/require-node.js')], [join(ROOT, 'bin/latchkey.js'), '--help']]) {
    const { status, stdout, stderr } = runAs(t, '20.20.2', ...args)
    assert.deepEqual(
      [status, stdout, stderr],
      [
        1,
        '',
        'latchkey: This is Node 20.20.2, but Latchkey needs Node 26. Run npm ci without --ignore-scripts, which installs it, or use Node 26 yourself.\n',
      ],
    )
  }
  for (const version of ['26.0.0', '28.1.0']) {
    const { status, stderr } = runAs(t, version, join(ROOT, 'bin/require-node.js'))
    assert.deepEqual([status, stderr], [0, ''])
  }
})

test('every npm script that runs Node checks its version first', () => {
  const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
    scripts: Record<string, string>
  }
  const nodeScripts = Object.values(scripts).filter((script) => /\bnode\b/.test(script))
  assert.ok(nodeScripts.length > 10)
  assert.deepEqual(
    nodeScripts.filter((script) => !script.startsWith('node bin/require-node.js && ')),
    [],
  )
})
