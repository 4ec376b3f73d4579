// Runs everything: checks, server tests on both engines, interoperability tests with OpenSSH, browser tests.
import { chmodSync, mkdtempSync, readFileSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { groupTests } from './group-tests.ts'
import { run } from './run.ts'
import { requireSystemPackages } from './system-packages.ts'
import type { TestTime } from './test-times.ts'
import { fetchSoftware, SOURCES } from './third-party-software.ts'

/** Far more than any test takes, also on a slow machine. The browser tests have their own limit. */
const MAX_TEST_MS = 5 * 60_000
/** Stops what no test timeout stops: a process that does not exit after its last test, or an endless loop. */
const MAX_SILENCE_MS = 2 * MAX_TEST_MS
const SLOWEST_SHOWN = 10

/**
 * Tests write to memory if there is enough space: they create some hundred databases, and would be slow on a busy disk.
 */
const MEMORY_FOLDER = '/dev/shm'
const MIN_FREE_BYTES = 4 * 1024 ** 3

const folder = mkdtempSync(join(hasSpace(MEMORY_FOLDER) ? MEMORY_FOLDER : tmpdir(), 'latchkey-tests-'))
// PostgreSQL runs under another account.
chmodSync(folder, 0o755)
process.env['TMPDIR'] = folder
// The processes of the server tests load the same sources.
process.env['NODE_COMPILE_CACHE'] = 'node_modules/.cache/tests'
const timesFile = join(folder, 'times')
writeFileSync(timesFile, '')

// Beside the checks, because it mostly waits for downloads.
const software = fetchAllSoftware()

const serverTests = [
  '--test',
  // Twice the number of cores of the smallest machine: about every second file waits for timeouts and child processes.
  '--test-concurrency=4',
  `--test-timeout=${MAX_TEST_MS}`,
  '--test-global-setup=test/support/global-setup.ts',
  '--test-reporter=spec',
  '--test-reporter-destination=stdout',
  '--test-reporter=./scripts/test-times.ts',
  `--test-reporter-destination=${timesFile}`,
  ...groupTests(join(folder, 'groups')),
]
type Step = [string, string[]]
const checks: Step[] = [
  ['node', ['scripts/check.ts']],
  ['node', ['scripts/build-dashboard.ts', '--if-stale']],
  ['node', ['scripts/build-server.ts', '--if-stale']],
  ['node', ['scripts/measure-dashboard.ts']],
]
const tests: Step[] = [
  ['node', serverTests],
  ['playwright', ['test']],
]

let passed = 0
let failed = 0
const times: TestTime[] = []
for (const step of checks) await take(step)
await software
for (const step of tests) await take(step)

const lines = readFileSync(timesFile, 'utf8').trim().split('\n').filter(Boolean)
times.push(...lines.map((line) => JSON.parse(line) as TestTime))
rmSync(folder, { recursive: true, force: true })

process.stdout.write(`\nThe ${SLOWEST_SHOWN} slowest tests:\n`)
for (const { name, ms } of times.toSorted((one, other) => other.ms - one.ms).slice(0, SLOWEST_SHOWN)) {
  process.stdout.write(`${(ms / 1000).toFixed(1).padStart(7)} s  ${name}\n`)
}
process.stdout.write(`\n${passed} passed, ${failed} failed\n`)

async function fetchAllSoftware(): Promise<void> {
  await requireSystemPackages()
  // Once and before the tests, which would otherwise all do it at the same time.
  for (const source of SOURCES) {
    const { missing } = await fetchSoftware(source)
    if (missing !== undefined) process.stdout.write(`${missing}\n`)
  }
}

/** Runs a step, and counts what passed and what failed in it. */
async function take([command, args]: Step): Promise<void> {
  const { code, output } = await run(command, args, { maxSilenceMs: MAX_SILENCE_MS })
  const count = (pattern: RegExp) => Number(pattern.exec(output)?.[1] ?? 0)
  passed += count(/^ℹ pass (\d+)$/m) + count(/^ +(\d+) passed/m)
  // A test that exceeds its time limit is reported as cancelled. A flaky test counts as failed.
  failed += count(/^ℹ fail (\d+)$/m) + count(/^ℹ cancelled (\d+)$/m)
  failed += count(/^ +(\d+) failed/m) + count(/^ +(\d+) flaky/m) + count(/^ +(\d+) interrupted/m)
  times.push(...browserTestTimes(output))
  if (code === 0) return
  process.exitCode = 1
  process.stderr.write(`\nThis failed: ${command} ${args.join(' ')}\n`)
  failed = Math.max(failed, 1)
}

function hasSpace(path: string): boolean {
  try {
    const { bavail, bsize } = statfsSync(path)
    return bavail * bsize > MIN_FREE_BYTES
  } catch {
    return false
  }
}

/** Reads the lines of Playwright's list reporter: `  ✓   1 e2e/sign-in.spec.ts:9:1 › a user signs in (1.2s)`. */
function browserTestTimes(output: string): TestTime[] {
  const UNITS: Record<string, number> = { ms: 1, s: 1000, m: 60_000 }
  return [...output.matchAll(/^ +[✓✘] +\d+ (.+) \(([\d.]+)(ms|s|m)\)$/gm)].map(([, name = '', value, unit = 'ms']) => ({
    name,
    ms: Number(value) * (UNITS[unit] ?? 1),
  }))
}
