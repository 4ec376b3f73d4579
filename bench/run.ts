import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { availableParallelism, loadavg } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { type Field, measure, measureExtras, openField, type Plan, type Row } from './measure.ts'
import { measureOnPostgres } from './on-postgres.ts'
import { OPERATIONS } from './operations.ts'
import { profile } from './profile.ts'
import { writeReport } from './report.ts'
import { newFolder, removeFolder, seedFile } from './servers.ts'

const FULL: Plan = {
  workers: 32,
  warmUp: 5000,
  limit: { rounds: 5, milliseconds: 1000 },
  memory: { rounds: 3, milliseconds: 1200 },
  sqlite: { rounds: 2, milliseconds: 1000 },
  alone: { rounds: 3, milliseconds: 500 },
  flood: { rounds: 5, milliseconds: 8000 },
  keygenRuns: 200,
  revoked: 100_000,
  fanOuts: 10,
}
/** Shows in a minute that everything works. Its figures are worth nothing. */
const QUICK: Plan = {
  workers: 8,
  warmUp: 200,
  limit: { rounds: 1, milliseconds: 200 },
  memory: { rounds: 1, milliseconds: 200 },
  sqlite: { rounds: 1, milliseconds: 200 },
  alone: { rounds: 1, milliseconds: 200 },
  flood: { rounds: 1, milliseconds: 200 },
  keygenRuns: 5,
  revoked: 2000,
  fanOuts: 2,
}
const PROFILED_MS = 8000

const { values } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    only: { type: 'string', multiple: true, default: [] },
    profile: { type: 'string' },
    postgres: { type: 'boolean', default: false },
    grown: { type: 'boolean', default: false },
    'limit-together': { type: 'boolean', default: false },
  },
})
const plan = values.quick ? QUICK : FULL
const operations = OPERATIONS.filter(({ name }) => values.only.length === 0 || values.only.includes(name))

refuseUnsuitable()
// Servers are ended when this process exits, which a signal alone would not let it do.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1))
if (values.profile === undefined) await bench()
else say((await profile(values.profile, process.cwd(), values.quick ? 1000 : PROFILED_MS)).join('\n'))

function refuseUnsuitable(): void {
  if (process.platform !== 'linux' || availableParallelism() < 2)
    throw new Error('The benchmark pins processes to cores and reads /proc: it needs Linux, taskset and two cores.')
  if (operations.length === 0) throw new Error(`The operations are ${OPERATIONS.map(({ name }) => name).join(', ')}.`)
}

async function bench(): Promise<void> {
  const started = performance.now()
  const [load = 0] = loadavg()
  const folder = newFolder()
  let field: Field | undefined
  try {
    say('Filling a database, starting the servers.')
    const seeded = await seedFile(folder, plan.revoked, values.grown)
    field = await openField(folder, seeded, values['limit-together'])
    const rows: Row[] = []
    for (const operation of operations) {
      const row = await measure(field, operation, plan)
      rows.push(row)
      say(describe(row))
    }
    const everything = values.only.length === 0
    const extras = everything ? await measureExtras(field, folder, plan) : undefined
    const { standings } = field
    await field.close()
    field = undefined
    const postgres = values.postgres ? await measureOnPostgres(folder, operations, plan) : undefined

    const seconds = (performance.now() - started) / 1000
    const report = writeReport({ plan, quick: values.quick, load, standings, rows, extras, postgres, seconds })
    say(`\n${report}`)
    if (everything && !values.quick && !values.grown && !values['limit-together']) {
      const file = join(import.meta.dirname, 'results.md')
      writeFileSync(file, report)
      execFileSync('oxfmt', [file])
    }
  } finally {
    await field?.close()
    removeFolder(folder)
  }
}

function describe({ operation, latchkey, limit, memory, sqlite }: Row): string {
  const part = (name: string, ratio: number | undefined) => (ratio === undefined ? '' : `  ${name} ${ratio.toFixed(2)}`)
  return (
    `${operation.title.padEnd(36)}${latchkey.cpu.toFixed(0).padStart(6)} µs` +
    part('of the limit', limit?.ratio) +
    part('of the peer in memory', memory?.ratio) +
    part('on SQLite', sqlite?.ratio)
  )
}

function say(line: string): void {
  process.stdout.write(`${line}\n`)
}
