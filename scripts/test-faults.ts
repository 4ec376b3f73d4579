// The fault tests in their long form: crashes, an unavailable database, full disks, replicas that start and stop.
// Everything is a real process on this machine. It takes some minutes, and ends with the figures for docs/operating.md.
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
/** No single test takes longer on any machine that this is worth running on. */
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
process.stdout.write(code === 0 ? '\nEverything held.\n' : '\nSomething did not hold; see above.\n')
process.exitCode = code

function machine(): string {
  const model = cpus()[0]?.model.trim() ?? 'unknown processor'
  const memory = Math.round(totalmem() / 2 ** 30)
  return `${availableParallelism()} × ${model}, ${memory} GB, ${type()} ${release()}, Node ${process.version}`
}
