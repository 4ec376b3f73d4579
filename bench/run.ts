import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { availableParallelism, loadavg } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { compareEngines, compareRestricted, compareWithCheckout } from './against.ts'
import { addToHistory, describeHistory } from './history.ts'
import { measure, measureExtras, type Plan, type Row, type RunningServers, startServers } from './measure.ts'
import { measureOnPostgres } from './on-postgres.ts'
import { OPERATIONS } from './operations.ts'
import { profile } from './profile.ts'
import { whereItRan, writeReport } from './report.ts'
import { newFolder, removeFolder, seedFile } from './servers.ts'
import { measureWaits, UNCHANGED_MS } from './waits.ts'

const FULL: Plan = {
  workers: 32,
  warmUp: 5000,
  baseline: { rounds: 5, milliseconds: 1000 },
  memory: { rounds: 3, milliseconds: 1200 },
  sqlite: { rounds: 2, milliseconds: 1000 },
  alone: { rounds: 3, milliseconds: 500 },
  certificates: { rounds: 5, milliseconds: 8000 },
  keygenRuns: 200,
  revoked: 100_000,
  fanOuts: 10,
  waitingHosts: 10_000,
  unchangedMs: UNCHANGED_MS,
}
/** Shows in a minute that everything works. It is too short for reliable figures. */
const QUICK: Plan = {
  workers: 8,
  warmUp: 200,
  baseline: { rounds: 1, milliseconds: 200 },
  memory: { rounds: 1, milliseconds: 200 },
  sqlite: { rounds: 1, milliseconds: 200 },
  alone: { rounds: 1, milliseconds: 200 },
  certificates: { rounds: 1, milliseconds: 200 },
  keygenRuns: 5,
  revoked: 2000,
  fanOuts: 2,
  waitingHosts: 500,
  unchangedMs: 2000,
}
const PROFILE_MS = 8000

const { values } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    only: { type: 'string', multiple: true, default: [] },
    profile: { type: 'string' },
    against: { type: 'string' },
    restricted: { type: 'boolean', default: false },
    engines: { type: 'boolean', default: false },
    postgres: { type: 'boolean', default: false },
    history: { type: 'boolean', default: false },
    grown: { type: 'boolean', default: false },
    waits: { type: 'boolean', default: false },
    'batched-baseline': { type: 'boolean', default: false },
  },
})
const plan = values.quick ? QUICK : FULL
const operations = OPERATIONS.filter(({ name }) => values.only.length === 0 || values.only.includes(name))

checkMachine()
if (values.history) {
  print(describeHistory(operations.map(({ name }) => name)).join('\n'))
  process.exit()
}
// Servers are stopped in the 'exit' handler, which Node does not run when a signal ends the process.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1))
if (values.against !== undefined)
  for await (const line of compareWithCheckout(resolve(values.against), operations, plan)) print(line)
else if (values.restricted) for await (const line of compareRestricted(operations, plan)) print(line)
else if (values.engines) for await (const line of compareEngines(operations, plan)) print(line)
else if (values.waits) await benchWaits()
else if (values.profile === undefined) await bench()
else print((await profile(values.profile, process.cwd(), values.quick ? 1000 : PROFILE_MS)).join('\n'))

function checkMachine(): void {
  if (process.platform !== 'linux' || availableParallelism() < 2)
    throw new Error('The benchmark pins processes to cores and reads /proc: it needs Linux, taskset and two cores.')
  if (operations.length === 0) throw new Error(`The operations are ${OPERATIONS.map(({ name }) => name).join(', ')}.`)
}

async function bench(): Promise<void> {
  const started = performance.now()
  const [load = 0] = loadavg()
  const folder = newFolder()
  let servers: RunningServers | undefined
  try {
    print('Filling a database, starting the servers.')
    const seeded = await seedFile(folder, plan.revoked, values.grown)
    servers = await startServers(folder, seeded, values['batched-baseline'])
    const rows: Row[] = []
    for (const operation of operations) {
      const row = await measure(servers, operation, plan)
      rows.push(row)
      print(describe(row))
    }
    const everything = values.only.length === 0
    const extras = everything ? await measureExtras(servers, folder, plan) : undefined
    const { starts } = servers
    await servers.close()
    servers = undefined
    const postgres = values.postgres ? await measureOnPostgres(folder, seeded, operations, plan) : undefined

    const seconds = (performance.now() - started) / 1000
    const report = writeReport({ plan, quick: values.quick, load, starts, rows, extras, postgres, seconds })
    print(`\n${report}`)
    if (everything && !values.quick && !values.grown && !values['batched-baseline']) {
      const file = join(import.meta.dirname, 'results.md')
      writeFileSync(file, report)
      execFileSync('oxfmt', [file])
      addToHistory(whereItRan(), rows, postgres)
    }
  } finally {
    await servers?.close()
    removeFolder(folder)
  }
}

async function benchWaits(): Promise<void> {
  const folder = newFolder()
  try {
    const [load = 0] = loadavg()
    const seeded = await seedFile(folder, plan.revoked)
    const { hosts, idle, core, memory, first, second } = await measureWaits(seeded, plan.waitingHosts, plan.unchangedMs)
    print(`load average before: ${load.toFixed(1)}; idle: ${idle.toFixed(0)} MB`)
    print(`${hosts} hosts wait, nothing changes: ${(core * 100).toFixed(1)} % of a core, ${memory.toFixed(0)} MB`)
    for (const wave of [first, second])
      print(
        `a revocation: all told after ${wave.told.toFixed(0)} ms, all have the list after ${wave.fetched.toFixed(0)} ms (${wave.processor.toFixed(0)} ms of the processor); ${wave.memory.toFixed(0)} MB`,
      )
  } finally {
    removeFolder(folder)
  }
}

function describe({ operation, latchkey, baseline, memory, sqlite }: Row): string {
  const part = (name: string, ratio: number | undefined) => (ratio === undefined ? '' : `  ${name} ${ratio.toFixed(2)}`)
  return (
    `${operation.title.padEnd(36)}${latchkey.cpu.toFixed(0).padStart(6)} µs` +
    part('baseline', baseline?.ratio) +
    part('peer in memory', memory?.ratio) +
    part('peer on SQLite', sqlite?.ratio)
  )
}

function print(line: string): void {
  process.stdout.write(`${line}\n`)
}
