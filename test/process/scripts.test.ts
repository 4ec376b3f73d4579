import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { fileURLToPath } from 'node:url'
import { groupTests } from '../../scripts/group-tests.ts'
import { serverTestArguments } from '../../scripts/run-tests.ts'
import { run } from '../../scripts/run.ts'
import { readResults } from '../../scripts/test-results.ts'
import { until } from '../support/replicas.ts'

const SCRIPTS = join(import.meta.dirname, '../../scripts')

function newFolder(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-scripts-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** Without the variables of the runner of this test, so that a separate runner starts. */
const ENVIRONMENT = { PATH: process.env['PATH'] ?? '' }

test('npm test kills a program that stops printing, together with its child processes', async (t) => {
  const pidFile = join(newFolder(t), 'pid')
  const program = `
    const child = require('child_process').spawn('sleep', ['1000'])
    require('fs').writeFileSync(${JSON.stringify(pidFile)}, String(child.pid))
    console.log('I will hang now.')
    setInterval(() => {}, 1000)`
  const { code, output } = await run(process.execPath, ['-e', program], { quiet: true, maxSilenceMs: 1000 })
  assert.deepEqual([code, output], [1, 'I will hang now.\n'])
  const child = Number(readFileSync(pidFile, 'utf8'))
  const isDead = () =>
    spawnSync('ps', ['-o', 'stat=', '-p', String(child)])
      .stdout.toString()
      .trim()
      .replace(/^Z.*/, '') === ''
  await until(async () => isDead())
})

test('npm test sets a time limit for every test, and counts a test that exceeds it as failed', (t) => {
  const script = readFileSync(join(SCRIPTS, 'test.ts'), 'utf8')
  assert.match(script, /serverTestArguments\(MAX_TEST_MS, concurrency\)/)
  assert.ok(serverTestArguments(1234, 1).includes('--test-timeout=1234'))
  assert.match(script, /cancelled/)
  const folder = newFolder(t)
  writeFileSync(
    join(folder, 'hangs.test.mjs'),
    `import { test } from 'node:test'
     test('hangs', (t) => { const timer = setInterval(() => {}, 1000); t.after(() => clearInterval(timer)); return new Promise(() => {}) })`,
  )
  const { status, stdout } = spawnSync(process.execPath, ['--test', '--test-timeout=200', 'hangs.test.mjs'], {
    cwd: folder,
    env: ENVIRONMENT,
    encoding: 'utf8',
  })
  assert.equal(status, 1)
  assert.match(stdout, /^ℹ cancelled 1$/m)
})

test('an error that no test waits for fails the run, and is shown', (t) => {
  const folder = newFolder(t)
  const content = `import { test } from 'node:test'
    test('ends first', async () => {
      const lose = async () => { await Promise.resolve(); throw new Error('nobody waits for this') }
      lose()
      await new Promise((resolve) => setTimeout(resolve, 20))
    })`
  writeFileSync(join(folder, 'loses.test.mjs'), content)
  const program = join(import.meta.dirname, '../support/without-promise-hooks.ts')
  assert.ok(serverTestArguments(1234, 1).includes('--import=./test/support/without-promise-hooks.ts'))
  const { status, stdout } = spawnSync(process.execPath, [`--import=${program}`, '--test', 'loses.test.mjs'], {
    cwd: folder,
    env: ENVIRONMENT,
    encoding: 'utf8',
  })
  assert.equal(status, 1)
  assert.match(stdout, /nobody waits for this/)
})

test('npm test runs every test file once, those of most folders together in one process', (t) => {
  const { computing, waiting } = groupTests(join(newFolder(t), 'groups'))
  const run = [...computing, ...waiting]
  const files = run.flatMap((path) =>
    [...readFileSync(path, 'utf8').matchAll(/"(.+)"/g)].map(([, url = '']) => fileURLToPath(url)),
  )
  const all = globSync(join(import.meta.dirname, '../**/*.test.ts'))
  assert.deepEqual(files.toSorted(), all.toSorted())
  assert.ok(run.length < all.length / 2, 'loading the service for each file takes longer than most tests')
})

test('tests are reported with their suites and times, and failed ones with the reason', (t) => {
  const folder = newFolder(t)
  writeFileSync(
    join(folder, 'some.test.mjs'),
    `import { before, describe, test } from 'node:test'
     describe('a suite', () => { test('one', () => {}); test('two', (t) => t.test('inner', () => {})) })
     describe('a broken suite', () => { before(() => { throw new Error('no start') }); test('three', () => {}) })
     test('alone', () => { throw new Error('wrong') })
     test('skipped', { skip: true }, () => {})`,
  )
  const file = join(folder, 'results')
  const args = ['--test', `--test-reporter=${join(SCRIPTS, 'test-results.ts')}`]
  const { status } = spawnSync(process.execPath, [...args, `--test-reporter-destination=${file}`, 'some.test.mjs'], {
    cwd: folder,
    env: ENVIRONMENT,
  })
  assert.equal(status, 1)
  const results = readResults(file)
  assert.deepEqual(
    results.map(({ suite, test, outcome, error }) => [suite, test, outcome, error]),
    [
      ['a suite', 'one', 'passed', undefined],
      ['a suite › two', 'inner', 'passed', undefined],
      ['a suite', 'two', 'passed', undefined],
      ['a broken suite', 'three', 'failed', 'test did not finish before its parent and was cancelled'],
      ['', 'a broken suite', 'failed', 'no start'],
      ['', 'alone', 'failed', 'wrong'],
      ['', 'skipped', 'skipped', undefined],
    ],
  )
  assert.ok(results.every(({ outcome, ms }) => ms > 0 || outcome !== 'passed'))
})
