import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'

const ROOT = join(import.meta.dirname, '../..')

/** Runs a file on the Node of the tests, which says that it is another version. */
function runAs(t: TestContext, version: string, ...args: string[]) {
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-node-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const disguise = join(folder, 'disguise.cjs')
  writeFileSync(disguise, `Object.defineProperty(process.versions, 'node', { value: ${JSON.stringify(version)} })`)
  return spawnSync(process.execPath, ['--require', disguise, ...args], { cwd: folder, encoding: 'utf8' })
}

test('an older Node ends npm scripts and commands with one line that says what to do', (t) => {
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

test('every npm script that runs a file of ours looks at the version first', () => {
  const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
    scripts: Record<string, string>
  }
  const ours = Object.values(scripts).filter((script) => /\bnode\b/.test(script))
  assert.ok(ours.length > 10)
  assert.deepEqual(
    ours.filter((script) => !script.startsWith('node bin/require-node.js && ')),
    [],
  )
})
