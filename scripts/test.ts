// Runs everything: checks, server tests on both engines, interoperability tests with OpenSSH, browser tests.
import { rmSync, writeFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { groupTests } from './group-tests.ts'
import { newTestFolder, serverTestArguments } from './run-tests.ts'
import { run } from './run.ts'
import { requireSystemPackages } from './system-packages.ts'
import { readResults, type TestResult } from './test-results.ts'
import { fetchAllSoftware } from './third-party-software.ts'

/** Far more than any test takes, also on a slow machine. The browser tests have their own limit. */
const MAX_TEST_MS = 5 * 60_000
/** Stops what no test timeout stops: a process that does not exit after its last test, or an endless loop. */
const MAX_SILENCE_MS = 2 * MAX_TEST_MS
const SLOWEST_SHOWN = 10
const REASON_LINES = 15

// A leftover of a run on one engine would halve this one.
delete process.env['TEST_ENGINE']

const folder = newTestFolder()

// Beside the checks, because both mostly wait for downloads.
const packages = requireSystemPackages()
const software = packages.then(() => fetchAllSoftware(join(folder, 'software')))

const groups = groupTests(join(folder, 'groups'))
const kinds = ['computing', 'waiting'] as const
const resultsOf = (kind: (typeof kinds)[number]) => join(folder, `results-${kind}`)
const serverTests = (kind: (typeof kinds)[number], concurrency: number): string[] => [
  'node',
  ...serverTestArguments(MAX_TEST_MS, concurrency),
  '--test-reporter=spec',
  '--test-reporter-destination=stdout',
  '--test-reporter=./scripts/test-results.ts',
  `--test-reporter-destination=${resultsOf(kind)}`,
  ...groups[kind],
]
const checks = [
  ['node', 'scripts/build-dashboard.ts', '--if-stale'],
  ['node', 'scripts/build-server.ts', '--if-stale'],
  ['node', 'scripts/measure-dashboard.ts'],
  ['node', 'scripts/check.ts'],
]

let passed = 0
let failed = 0
const results: TestResult[] = []
for (const check of checks) await take(check)
await packages
for (const kind of kinds) writeFileSync(resultsOf(kind), '')
// Three at the same time: those that wait, those that compute on a core of their own, and the browser. With more of those that compute each
// takes up to twice the processor time, because the threads that compile and collect garbage fall behind.
const browserTests = take(['playwright', 'test'], { quiet: true })
const waitingTests = take(serverTests('waiting', 2), { quiet: true })
await take(serverTests('computing', Math.max(1, availableParallelism() - 1)))
process.stdout.write(await waitingTests)
process.stdout.write(await browserTests)
await software

results.unshift(...kinds.flatMap((kind) => readResults(resultsOf(kind))))
rmSync(folder, { recursive: true, force: true })

const nameOf = ({ suite, test }: TestResult) => (suite === '' ? test : `${suite} › ${test}`)
process.stdout.write(`\nThe ${SLOWEST_SHOWN} slowest tests:\n`)
for (const result of results.toSorted((one, other) => other.ms - one.ms).slice(0, SLOWEST_SHOWN)) {
  process.stdout.write(`${(result.ms / 1000).toFixed(1).padStart(7)} s  ${nameOf(result)}\n`)
}
// The end of a long output is what CI systems show first.
for (const result of results.filter(({ outcome }) => outcome === 'failed')) {
  process.stdout.write(`\nFailed: ${nameOf(result)}\n`)
  const reason = result.error?.split('\n').slice(0, REASON_LINES) ?? []
  for (const line of reason) process.stdout.write(`  ${line}\n`)
}
process.stdout.write(`\n${passed} passed, ${failed} failed\n`)

/** Runs a program, and counts what passed and what failed in it. Returns what it printed. */
async function take([command = '', ...args]: string[], { quiet = false } = {}): Promise<string> {
  const { code, output } = await run(command, args, { quiet, maxSilenceMs: MAX_SILENCE_MS })
  const count = (pattern: RegExp) => Number(pattern.exec(output)?.[1] ?? 0)
  passed += count(/^ℹ pass (\d+)$/m) + count(/^ +(\d+) passed/m)
  // A test that exceeds its time limit is reported as cancelled. A flaky test counts as failed.
  failed += count(/^ℹ fail (\d+)$/m) + count(/^ℹ cancelled (\d+)$/m)
  failed += count(/^ +(\d+) failed/m) + count(/^ +(\d+) flaky/m) + count(/^ +(\d+) interrupted/m)
  results.push(...browserTestResults(output))
  if (code === 0) return output
  process.exitCode = 1
  process.stderr.write(`\nThis failed: ${command} ${args.join(' ')}\n`)
  failed = Math.max(failed, 1)
  return output
}

/** Reads the lines of Playwright's list reporter: `  ✓   1 e2e/sign-in.spec.ts:9:1 › a user signs in (1.2s)`. */
function browserTestResults(output: string): TestResult[] {
  const UNITS: Record<string, number> = { ms: 1, s: 1000, m: 60_000 }
  const lines = output.matchAll(/^ +([✓✘]) +\d+ (.+) \(([\d.]+)(ms|s|m)\)$/gm)
  return [...lines].map(([, mark, test = '', value, unit = 'ms']) => ({
    suite: '',
    test,
    outcome: mark === '✓' ? 'passed' : 'failed',
    ms: Number(value) * (UNITS[unit] ?? 1),
  }))
}
