// Runs the long form of the fault tests: crashes, an unavailable database, full disks, replicas that start and stop.
// All of them use real processes on this machine. It takes some minutes and prints the figures for docs/capacity.md.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { availableParallelism, cpus, release, tmpdir, totalmem, type } from 'node:os'
import { join } from 'node:path'
import { run } from './run.ts'

interface Figure {
  part: string
  what: string
  value: string
}

const ROUNDS = process.env['FAULT_ROUNDS'] ?? '51'
/** Far more than any test takes, also on a slow machine. */
const MAX_TEST_MS = 30 * 60_000

const folder = mkdtempSync(join(tmpdir(), 'latchkey-figures-'))
const file = join(folder, 'figures')
writeFileSync(file, '')
process.env['FAULT_ROUNDS'] = ROUNDS
process.env['FAULT_FIGURES'] = file

// One at a time, so that measurements do not disturb each other.
const { code } = await run('node', [
  '--test',
  '--test-concurrency=1',
  `--test-timeout=${MAX_TEST_MS}`,
  '--test-global-setup=test/support/global-setup.ts',
  'test/faults/*.test.ts',
])
const lines = readFileSync(file, 'utf8').trim().split('\n').filter(Boolean)
const figures = lines.map((line) => JSON.parse(line) as Figure)
rmSync(folder, { recursive: true })

process.stdout.write(`\n${machine()}\n\n| Fault | Figure | |\n|---|---|--:|\n`)
for (const { part, what, value } of figures) process.stdout.write(`| ${part} | ${what} | ${value} |\n`)
process.stdout.write(code === 0 ? '\nAll tests passed.\n' : '\nSome tests failed; see above.\n')
process.exitCode = code

function machine(): string {
  const model = cpus()[0]?.model.trim() ?? 'unknown processor'
  const memory = Math.round(totalmem() / 2 ** 30)
  return `${availableParallelism()} × ${model}, ${memory} GB, ${type()} ${release()}, Node ${process.version}`
}
