import { appendFileSync, existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Row } from './measure.ts'
import type { PostgresRow } from './on-postgres.ts'

/** What one run found about one operation. Processor time is in microseconds for each step. */
interface Figures {
  cpu: number
  /** Processor time of the other, divided by that of Latchkey. */
  baseline?: number
  peerInMemory?: number
  peerOnSqlite?: number
  onPostgres?: { cpu: number; timesSqlite: number; peer?: number }
}

interface Run {
  at: string
  machine: string
  node: string
  commit: string
  operations: Record<string, Figures>
}

const FILE = join(import.meta.dirname, 'history.jsonl')
const rounded = (value: number): number => Number(value.toPrecision(3))

/** Adds a line to the history. */
export function addToHistory(
  about: Pick<Run, 'machine' | 'node' | 'commit'>,
  rows: Row[],
  onPostgres: PostgresRow[] = [],
): void {
  const run: Run = { at: new Date().toISOString(), ...about, operations: {} }
  for (const { operation, latchkey, baseline, memory, sqlite } of rows) {
    run.operations[operation.name] = {
      cpu: rounded(latchkey.cpu),
      ...(baseline && { baseline: rounded(baseline.ratio) }),
      ...(memory && { peerInMemory: rounded(memory.ratio) }),
      ...(sqlite && { peerOnSqlite: rounded(sqlite.ratio) }),
      ...postgresFigures(onPostgres.find((row) => row.operation.name === operation.name)),
    }
  }
  appendFileSync(FILE, `${JSON.stringify(run)}\n`)
}

const postgresFigures = (row: PostgresRow | undefined) =>
  row && {
    onPostgres: {
      cpu: rounded(row.one.cpu),
      timesSqlite: rounded(1 / row.engines.ratio),
      ...(row.peer && { peer: rounded(row.peer.ratio) }),
    },
  }

/** Lines that show how each of these operations has changed from run to run, the oldest first. */
export function describeHistory(operations: string[]): string[] {
  const runs = existsSync(FILE)
    ? readFileSync(FILE, 'utf8')
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as Run)
    : []
  const cell = (value: number | undefined) => (value === undefined ? '–' : String(value)).padStart(9)
  const lineOf = ({ at, commit, machine }: Run, { cpu, baseline, peerInMemory, onPostgres }: Figures) =>
    [
      `${at.slice(0, 10)} ${commit}`,
      ...[cpu, baseline, peerInMemory, onPostgres?.cpu, onPostgres?.timesSqlite, onPostgres?.peer].map(cell),
      ` ${machine}`,
    ].join('')
  return operations.flatMap((name) => {
    const lines = runs.flatMap((run) => (run.operations[name] ? [lineOf(run, run.operations[name])] : []))
    return lines.length === 0
      ? []
      : ['', `${name}: CPU µs, baseline, peer in memory; on PostgreSQL: CPU µs, times SQLite, peer`, ...lines]
  })
}
