// Everything, in one command: checks, server tests on both engines, OpenSSH interop, browser tests.
import { chmodSync, mkdtempSync, readFileSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { run } from './run.ts'
import { requireSystemPackages } from './system-packages.ts'
import type { TestTime } from './test-times.ts'

/** No test takes nearly as long on any machine that this is worth running on; the browser tests have a limit of their own. */
const LONGEST_TEST_MS = 5 * 60_000
/** For what no limit on a test ends: a file whose tests are over and that does not end, or a loop. */
const LONGEST_SILENCE_MS = 2 * LONGEST_TEST_MS
const SLOWEST = 10

/**
 * What tests write goes to memory where there is room: they make some hundred databases, and a disk that is busy with
 * something else would make them as slow as it is.
 */
const MEMORY = '/dev/shm'
const ROOM_BYTES = 4 * 1024 ** 3

const folder = mkdtempSync(join(hasRoom(MEMORY) ? MEMORY : tmpdir(), 'latchkey-tests-'))
// PostgreSQL runs under another account.
chmodSync(folder, 0o755)
process.env['TMPDIR'] = folder
// Each file of tests is a process of its own that loads the same sources.
process.env['NODE_COMPILE_CACHE'] = 'node_modules/.cache/tests'
const timesFile = join(folder, 'times')
writeFileSync(timesFile, '')

await requireSystemPackages()

const serverTests = [
  '--test',
  // One more than the smallest machine has cores: many tests wait, for timeouts and for processes that they start.
  '--test-concurrency=3',
  `--test-timeout=${LONGEST_TEST_MS}`,
  '--test-global-setup=test/support/global-setup.ts',
  '--test-reporter=spec',
  '--test-reporter-destination=stdout',
  '--test-reporter=./scripts/test-times.ts',
  `--test-reporter-destination=${timesFile}`,
  'test/**/*.test.ts',
]
const steps: [string, string[]][] = [
  ['node', ['scripts/check.ts']],
  ['node', ['scripts/build-dashboard.ts', '--if-stale']],
  ['node', ['scripts/measure-dashboard.ts']],
  ['node', serverTests],
  ['playwright', ['test']],
]

let passed = 0
let failed = 0
const times: TestTime[] = []
for (const [command, args] of steps) {
  const { code, output } = await run(command, args, { maxSilenceMs: LONGEST_SILENCE_MS })
  const count = (pattern: RegExp) => Number(pattern.exec(output)?.[1] ?? 0)
  passed += count(/^ℹ pass (\d+)$/m) + count(/^ +(\d+) passed/m)
  // A test that ran into its limit counts as cancelled, and one that is flaky has failed.
  failed += count(/^ℹ fail (\d+)$/m) + count(/^ℹ cancelled (\d+)$/m)
  failed += count(/^ +(\d+) failed/m) + count(/^ +(\d+) flaky/m) + count(/^ +(\d+) interrupted/m)
  times.push(...timesInBrowser(output))
  if (code === 0) continue
  process.exitCode = 1
  process.stderr.write(`\nThis failed: ${command} ${args.join(' ')}\n`)
  failed = Math.max(failed, 1)
}

const lines = readFileSync(timesFile, 'utf8').trim().split('\n').filter(Boolean)
times.push(...lines.map((line) => JSON.parse(line) as TestTime))
rmSync(folder, { recursive: true, force: true })

process.stdout.write(`\nThe ${SLOWEST} slowest tests:\n`)
for (const { name, ms } of times.toSorted((one, other) => other.ms - one.ms).slice(0, SLOWEST)) {
  process.stdout.write(`${(ms / 1000).toFixed(1).padStart(7)} s  ${name}\n`)
}
process.stdout.write(`\n${passed} passed, ${failed} failed\n`)

function hasRoom(path: string): boolean {
  try {
    const { bavail, bsize } = statfsSync(path)
    return bavail * bsize > ROOM_BYTES
  } catch {
    return false
  }
}

/** As Playwright's list has them: `  ✓   1 e2e/sign-in.spec.ts:9:1 › somebody signs in (1.2s)`. */
function timesInBrowser(output: string): TestTime[] {
  const UNITS: Record<string, number> = { ms: 1, s: 1000, m: 60_000 }
  return [...output.matchAll(/^ +[✓✘] +\d+ (.+) \(([\d.]+)(ms|s|m)\)$/gm)].map(([, name = '', value, unit = 'ms']) => ({
    name,
    ms: Number(value) * (UNITS[unit] ?? 1),
  }))
}
