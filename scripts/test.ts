// Everything, in one command: checks, server tests on both engines, OpenSSH interop, browser tests.
import { run } from './run.ts'
import { requireSystemPackages } from './system-packages.ts'

await requireSystemPackages()

const steps: [string, string[]][] = [
  ['node', ['scripts/check.ts']],
  ['node', ['scripts/build-dashboard.ts', '--if-stale']],
  ['node', ['scripts/measure-dashboard.ts']],
  ['node', ['--test', '--test-concurrency=2', '--test-global-setup=test/support/global-setup.ts', 'test/**/*.test.ts']],
  ['playwright', ['test']],
]

let passed = 0
let failed = 0
for (const [command, args] of steps) {
  const { code, output } = await run(command, args)
  const count = (pattern: RegExp) => Number(pattern.exec(output)?.[1] ?? 0)
  passed += count(/^ℹ pass (\d+)$/m) + count(/^ +(\d+) passed/m)
  failed += count(/^ℹ fail (\d+)$/m) + count(/^ +(\d+) failed/m)
  if (code === 0) continue
  process.exitCode = 1
  process.stderr.write(`\nThis failed: ${command} ${args.join(' ')}\n`)
  failed = Math.max(failed, 1)
}
process.stdout.write(`\n${passed} passed, ${failed} failed\n`)
