// Runs the long form of the fuzz, load and growth tests and every other test with time limits, and prints a table of the
// measurements. It needs an idle machine and half an hour.
import { execFileSync } from 'node:child_process'
import { existsSync, globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { cpus, loadavg, tmpdir, totalmem } from 'node:os'
import { join } from 'node:path'
import type { Figure } from '../test/load/figures.ts'
import { run } from './run.ts'

/** Without the fault tests, whose times `npm run test:faults` measures. */
const FILES = globSync('test/**/*.test.ts').filter(
  (path) =>
    /^test\/(fuzz|load)\//.test(path) ||
    (!path.startsWith('test/faults/') && readFileSync(path, 'utf8').includes(`/speed.ts'`)),
)
/** Far more than any test takes. A test that exceeds it fails. */
const MAX_TEST_MS = 45 * 60_000

const folder = mkdtempSync(join(tmpdir(), 'latchkey-figures-'))
const file = join(folder, 'figures')
process.env['TEST_LOAD'] = 'long'
process.env['FIGURES_FILE'] = file

const [load = 0] = loadavg()
try {
  const { code } = await run('node', [
    '--test',
    // One at a time, so that measurements do not disturb each other.
    '--test-concurrency=1',
    `--test-timeout=${MAX_TEST_MS}`,
    '--test-global-setup=test/support/global-setup.ts',
    ...(process.argv.length > 2 ? process.argv.slice(2) : FILES),
  ])
  process.stdout.write(`\n${describe(readFigures())}\n`)
  process.exitCode = code
} finally {
  rmSync(folder, { recursive: true, force: true })
}

function readFigures(): Figure[] {
  if (!existsSync(file)) return []
  const lines = readFileSync(file, 'utf8').trim().split('\n')
  return lines.map((line) => JSON.parse(line) as Figure)
}

/** A Markdown table for the documentation. */
function describe(figures: Figure[]): string {
  const [processor] = cpus()
  const gigabytes = (totalmem() / 1024 ** 3).toFixed(0)
  const machine = `${cpus().length} × ${processor?.model.trim() || 'processor'}, ${gigabytes} GB`
  const rows = figures.map(({ part, what, value }) => `| ${part} | ${what.replaceAll('|', '\\|')} | ${value} |`)
  return [
    `Measured on ${machine}, Node ${process.versions.node}, commit ${commit()}, load before the run ${load.toFixed(1)}.`,
    '',
    '| | What | Figure |',
    '|---|---|---|',
    ...rows,
  ].join('\n')
}

function commit(): string {
  try {
    return execFileSync('git', ['rev-parse', '--short', 'HEAD'], { encoding: 'utf8' }).trim()
  } catch {
    return 'unknown'
  }
}
