import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { cpus, release, totalmem } from 'node:os'
import { join } from 'node:path'
import type { Result } from './compare.ts'
import type { Extras, Plan, Row, ServerStart } from './measure.ts'
import { databaseHasOwnCores, type PostgresRow } from './on-postgres.ts'
import { MAX_REVOCATION_MS, MAX_WAITING_CORE, MAX_WAITING_MB } from './waits.ts'

export interface Findings {
  plan: Plan
  quick: boolean
  /** Load average of the machine before the run. */
  load: number
  starts: ServerStart[]
  rows: Row[]
  extras?: Extras | undefined
  postgres?: PostgresRow[] | undefined
  seconds: number
}

/** Certificates per second with 64 connections, as a multiple of `ssh-keygen -s`. */
const CERTIFICATE_TARGET = 12
const MAX_IDLE_MB = 120
const MAX_START_SECONDS = 2
const MAX_P99_OF_BASELINE = 2
const MAX_LOAD = 1

const fixed = (value: number, digits = 0): string => value.toFixed(digits)
const times = (value: number): string => `${fixed(value, 1)} ×`
const verdict = (met: boolean): string => (met ? 'met' : '**missed**')

function table(head: string[], rows: string[][]): string {
  const line = (cells: string[]) => `| ${cells.join(' | ')} |`
  return [line(head), line(head.map((_, at) => (at === 0 ? '---' : '---:'))), ...rows.map(line)].join('\n')
}

const speeds = ({ cpu, rate, p50, p99, memory }: Result): string[] => [
  fixed(cpu),
  fixed(rate),
  fixed(p50, 1),
  fixed(p99, 1),
  fixed(memory),
]
const SPEEDS = ['CPU µs per step', 'steps per second', 'p50 ms', 'p99 ms', 'memory MB']

/** The text of results.md. */
export function writeReport(findings: Findings): string {
  const { plan, quick, load, starts, rows, extras, postgres, seconds } = findings
  const parts = [
    '# Results of the last run',
    `${new Date().toISOString().slice(0, 16).replace('T', ' ')} UTC, ${fixed(seconds / 60, 1)} minutes. ${machine()} How to read this: [README](README.md).`,
    ...(quick ? ['**A quick run: it shows that everything works, and is too short for reliable figures.**'] : []),
    ...(load > MAX_LOAD
      ? [`**Other processes were running when the benchmark began (load average ${fixed(load, 1)}).**`]
      : []),
    `Load: ${plan.workers} connections to each server. No request failed.`,
    '## Compared with the baseline and with oidc-provider',
    'Processor time per step of the other server, divided by that of Latchkey, both at the same time on one core. Higher is better.',
    ratios(rows.filter(({ baseline }) => baseline)),
    '## p99 while both servers share one core',
    p99s(rows.filter(({ baseline }) => baseline)),
    '## Latchkey alone',
    'A step is one request, or two where the name of the operation says so.',
    table(
      ['Operation', ...SPEEDS],
      rows.map(({ operation, latchkey }) => [operation.title, ...speeds(latchkey)]),
    ),
    '## Start and idle memory',
    startTable(starts),
    ...(extras ? ['## OpenSSH and notifications', extrasTable(extras, rows, plan)] : []),
    ...(postgres ? ['## On PostgreSQL', POSTGRES, postgresTable(postgres)] : []),
    ...targets(findings),
  ]
  return `${parts.join('\n\n')}\n`
}

function ratios(rows: Row[]): string {
  const head = ['Operation', 'baseline', 'target', 'oidc-provider in memory', 'target', 'oidc-provider on SQLite']
  const cells = rows.map(({ operation, baseline, memory, sqlite }) => [
    operation.title,
    fixed(baseline?.ratio ?? 0, 2),
    operation.baselineTarget ? fixed(operation.baselineTarget, 2) : '–',
    memory ? times(memory.ratio) : '–',
    operation.peerTarget ? times(operation.peerTarget) : '–',
    sqlite ? times(sqlite.ratio) : '–',
  ])
  return table(head, cells)
}

function p99s(rows: Row[]): string {
  const pair = (first?: Result, second?: Result) =>
    first && second ? [fixed(first.p99, 1), fixed(second.p99, 1)] : ['–', '–']
  return table(
    ['Operation', 'Latchkey ms', 'baseline ms', 'Latchkey ms', 'oidc-provider in memory ms'],
    rows.map(({ operation, baseline, memory }) => [
      operation.title,
      ...pair(baseline?.first, baseline?.second),
      ...pair(memory?.first, memory?.second),
    ]),
  )
}

const startTable = (starts: ServerStart[]): string =>
  table(
    ['Server', 'seconds to the first answer', 'idle memory MB'],
    starts.map(({ name, startSeconds, idleMemory }) => [name, fixed(startSeconds, 2), fixed(idleMemory)]),
  )

const rateOf = (rows: Row[], name: string): Result | undefined =>
  rows.find(({ operation }) => operation.name === name)?.latchkey

function extrasTable(extras: Extras, rows: Row[], { revoked }: Plan): string {
  const krl = rateOf(rows, 'krl')
  const { certificates, keygenKrl, krlRebuild, fanOut, waits } = extras
  return table(
    ['', 'Latchkey', 'OpenSSH', 'ratio'],
    [
      [
        'certificates per second, 64 connections, on both cores',
        fixed(certificates.latchkey),
        fixed(certificates.keygen),
        times(certificates.ratio),
      ],
      [`KRL of ${revoked} serials from memory, CPU ms`, fixed((krl?.cpu ?? 0) / 1000, 2), '–', '–'],
      [
        `KRL of ${revoked} serials rebuilt after a revocation, ms`,
        fixed(krlRebuild),
        fixed(keygenKrl),
        times(keygenKrl / krlRebuild),
      ],
      [
        `one notification to ${fanOut.streams} streams, ms until the last one has it`,
        fixed(fanOut.milliseconds),
        '–',
        '–',
      ],
      ['the same, CPU µs per stream', fixed(fanOut.cpu), '–', '–'],
      [`${waits.hosts} hosts wait, nothing changes: % of a core`, fixed(waits.core * 100, 1), '–', '–'],
      ['the same, memory of the server, MB', fixed(waits.memory), '–', '–'],
      ...Object.entries({ first: waits.first, second: waits.second }).flatMap(([wave, { told, fetched, memory }]) => [
        [`the ${wave} revocation, ms until the last host is told`, fixed(told), '–', '–'],
        ['the same, ms until the last host has the list', fixed(fetched), '–', '–'],
        ['the same, memory of the server afterwards, MB', fixed(memory), '–', '–'],
      ]),
    ],
  )
}

const POSTGRES = [
  'Every commit is synced. CPU is that of Latchkey alone. _Times SQLite_ is its processor time divided by that of Latchkey on SQLite, both at the same time on one core; _oidc-provider_ is the processor time of oidc-provider on PostgreSQL, divided by that of Latchkey.',
  databaseHasOwnCores()
    ? 'The database has cores of its own; Latchkey and the load generators share two.'
    : '**This machine has fewer than four cores: the database, Latchkey and the load generators share them. More processes can’t bring more here, and requests per second say little.**',
].join(' ')

function postgresTable(rows: PostgresRow[]): string {
  const sum = (results: Result[]) => fixed(results.reduce((total, { rate }) => total + rate, 0))
  return table(
    ['Operation', 'times SQLite', 'oidc-provider', ...SPEEDS.slice(0, 4), 'two processes: steps per second', 'three'],
    rows.map(({ operation, engines, peer, one, two, three }) => [
      operation.title,
      fixed(1 / engines.ratio, 2),
      peer ? times(peer.ratio) : '–',
      ...speeds(one).slice(0, 4),
      sum(two),
      sum(three),
    ]),
  )
}

/** Against oidc-provider, each operation. */
const POSTGRES_PEER_TARGET = 3
/** Milliseconds of processor time for a passkey login. */
const PASSKEY_TARGETS = { sqlite: 1, postgres: 1.5 }

function postgresTargets(rows: PostgresRow[]): string[][] {
  const lines: string[][] = []
  for (const { operation, engines, peer } of rows) {
    const { title, postgresTarget } = operation
    const ofSqlite = 1 / engines.ratio
    if (postgresTarget !== undefined)
      lines.push([
        `${title}: on PostgreSQL divided by SQLite`,
        `≤ ${times(postgresTarget)}`,
        times(ofSqlite),
        verdict(ofSqlite <= postgresTarget),
      ])
    if (peer)
      lines.push([
        `${title}: oidc-provider on PostgreSQL`,
        times(POSTGRES_PEER_TARGET),
        times(peer.ratio),
        verdict(peer.ratio >= POSTGRES_PEER_TARGET),
      ])
    if (operation.name !== 'passkeys') continue
    const took = { sqlite: engines.second.cpu / 1000, postgres: engines.first.cpu / 1000 }
    for (const [engine, name] of [
      ['sqlite', 'SQLite'],
      ['postgres', 'PostgreSQL'],
    ] as const)
      lines.push([
        `${title}: on ${name}`,
        `≤ ${fixed(PASSKEY_TARGETS[engine], 1)} ms`,
        `${fixed(took[engine], 1)} ms`,
        verdict(took[engine] <= PASSKEY_TARGETS[engine]),
      ])
  }
  return lines
}

function targets({ rows, starts, extras, postgres = [] }: Findings): string[] {
  const lines: string[][] = []
  for (const { operation, baseline, memory } of rows) {
    const { title } = operation
    if (baseline && operation.baselineTarget)
      lines.push([
        `${title}: baseline`,
        fixed(operation.baselineTarget, 2),
        fixed(baseline.ratio, 2),
        verdict(baseline.ratio >= operation.baselineTarget),
      ])
    if (memory && operation.peerTarget)
      lines.push([
        `${title}: oidc-provider in memory`,
        times(operation.peerTarget),
        times(memory.ratio),
        verdict(memory.ratio >= operation.peerTarget),
      ])
    if (baseline && operation.baselineTarget) {
      const share = baseline.first.p99 / baseline.second.p99
      lines.push([
        `${title}: p99 divided by the baseline's`,
        `≤ ${MAX_P99_OF_BASELINE} ×`,
        times(share),
        verdict(share <= MAX_P99_OF_BASELINE),
      ])
    }
    if (memory) {
      const share = memory.first.p99 / memory.second.p99
      lines.push([`${title}: p99 divided by oidc-provider's`, '< 1 ×', times(share), verdict(share < 1)])
    }
  }
  const [me, visit] = [rateOf(rows, 'me'), rateOf(rows, 'forward-auth')]
  if (me && visit) {
    const share = me.cpu / visit.cpu
    lines.push([
      'forward-auth: processor time of GET /api/auth/me divided by its own',
      '0.80',
      fixed(share, 2),
      verdict(share >= 0.8),
    ])
    const late = visit.p99 / me.p99
    lines.push(['forward-auth: p99 divided by that of GET /api/auth/me', '≤ 1.5 ×', times(late), verdict(late <= 1.5)])
  }
  if (extras) {
    const factor = extras.certificates.ratio
    lines.push([
      'certificates with 64 connections: ssh-keygen -s',
      times(CERTIFICATE_TARGET),
      times(factor),
      verdict(factor >= CERTIFICATE_TARGET),
    ])
    const { hosts, core, memory, first } = extras.waits
    lines.push([
      `${hosts} hosts wait, nothing changes: processor`,
      `< ${MAX_WAITING_CORE * 100} % of a core`,
      `${fixed(core * 100, 1)} %`,
      verdict(core < MAX_WAITING_CORE),
    ])
    lines.push([
      `${hosts} hosts wait, nothing changes: memory`,
      `< ${MAX_WAITING_MB} MB`,
      `${fixed(memory)} MB`,
      verdict(memory < MAX_WAITING_MB),
    ])
    lines.push([
      `a revocation to ${hosts} waiting hosts`,
      `≤ ${MAX_REVOCATION_MS / 1000} s`,
      `${fixed(first.fetched / 1000, 1)} s`,
      verdict(first.fetched <= MAX_REVOCATION_MS),
    ])
  }
  const own = starts.find(({ name }) => name === 'latchkey')
  if (own) {
    const { idleMemory, startSeconds } = own
    lines.push(['idle memory', `< ${MAX_IDLE_MB} MB`, `${fixed(idleMemory)} MB`, verdict(idleMemory < MAX_IDLE_MB)])
    lines.push([
      'time to the first answer',
      `< ${MAX_START_SECONDS} s`,
      `${fixed(startSeconds, 2)} s`,
      verdict(startSeconds < MAX_START_SECONDS),
    ])
  }
  lines.push(...postgresTargets(postgres))
  return ['## Targets', table(['Target', 'required', 'measured', ''], lines)]
}

/** What the figures of one run and another must have in common to be compared. */
export const whereItRan = () => ({
  machine: `${cpus().length} cores of ${cpus()[0]?.model.trim() ?? 'an unknown processor'}`,
  node: process.versions.node,
  commit: commitOf(),
})

function machine(): string {
  const peer = JSON.parse(
    readFileSync(join(import.meta.dirname, '../node_modules/oidc-provider/package.json'), 'utf8'),
  ) as {
    version: string
  }
  const { machine: cores, commit } = whereItRan()
  return [
    cores,
    `${fixed(totalmem() / 2 ** 30)} GB`,
    `Linux ${release()}`,
    `Node ${process.versions.node}`,
    `SQLite ${process.versions.sqlite}`,
    `oidc-provider ${peer.version}`,
    `commit ${commit}.`,
  ].join(', ')
}

function commitOf(): string {
  try {
    return execFileSync('git', ['rev-parse', '--short', 'HEAD'], { encoding: 'utf8', cwd: import.meta.dirname }).trim()
  } catch {
    return 'unknown'
  }
}
