import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { cpus, release, totalmem } from 'node:os'
import { join } from 'node:path'
import type { Result } from './duel.ts'
import type { Extras, Plan, Row, Standing } from './measure.ts'
import type { PostgresRow } from './on-postgres.ts'

export interface Findings {
  plan: Plan
  quick: boolean
  /** Of the machine, before the run. */
  load: number
  standings: Standing[]
  rows: Row[]
  extras?: Extras | undefined
  postgres?: PostgresRow[] | undefined
  seconds: number
}

const CERTIFICATE_FACTOR = 12
const MOST_IDLE_MB = 120
const LONGEST_START_SECONDS = 2
const MOST_P99_OF_LIMIT = 2
const MOST_LOAD = 1

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
const SPEEDS = ['CPU µs', 'a second', 'p50 ms', 'p99 ms', 'MB']

/** The page that a run leaves behind. */
export function writeReport(findings: Findings): string {
  const { plan, quick, load, standings, rows, extras, postgres, seconds } = findings
  const parts = [
    '# Results of the last run',
    `${new Date().toISOString().slice(0, 16).replace('T', ' ')} UTC, ${fixed(seconds / 60, 1)} minutes. ${machine()} How to read this: [README](README.md).`,
    ...(quick ? ['**A quick run: too short to be trusted. It shows that everything works.**'] : []),
    ...(load > MOST_LOAD
      ? [`**The machine was busy with other things when the run began (load ${fixed(load, 1)}).**`]
      : []),
    `Load: ${plan.workers} connections to each server. No request failed.`,
    '## Against the limit and the peer',
    'Ratios of processor time a request, from duels on one core. More is better.',
    ratios(rows.filter(({ limit }) => limit)),
    '## p99 in the duels',
    p99s(rows.filter(({ limit }) => limit)),
    '## Latchkey alone',
    'One step may be two requests, where the name says so.',
    table(
      ['Operation', ...SPEEDS],
      rows.map(({ operation, latchkey }) => [operation.title, ...speeds(latchkey)]),
    ),
    '## Start and idle memory',
    startTable(standings),
    ...(extras ? ['## Beside OpenSSH, and notifications', extrasTable(extras, rows, plan)] : []),
    ...(postgres ? ['## On PostgreSQL', POSTGRES, postgresTable(postgres)] : []),
    ...targets(findings),
  ]
  return `${parts.join('\n\n')}\n`
}

function ratios(rows: Row[]): string {
  const head = [
    'Operation',
    'of the limit',
    'target',
    'of oidc-provider in memory',
    'target',
    'of oidc-provider on SQLite',
  ]
  const cells = rows.map(({ operation, limit, memory, sqlite }) => [
    operation.title,
    fixed(limit?.ratio ?? 0, 2),
    operation.limit ? fixed(operation.limit, 2) : '–',
    memory ? times(memory.ratio) : '–',
    operation.peer ? times(operation.peer) : '–',
    sqlite ? times(sqlite.ratio) : '–',
  ])
  return table(head, cells)
}

function p99s(rows: Row[]): string {
  const pair = (first?: Result, second?: Result) =>
    first && second ? [fixed(first.p99, 1), fixed(second.p99, 1)] : ['–', '–']
  return table(
    ['Operation', 'Latchkey ms', 'limit ms', 'Latchkey ms', 'oidc-provider in memory ms'],
    rows.map(({ operation, limit, memory }) => [
      operation.title,
      ...pair(limit?.first, limit?.second),
      ...pair(memory?.first, memory?.second),
    ]),
  )
}

const startTable = (standings: Standing[]): string =>
  table(
    ['Server', 'first answer s', 'idle MB'],
    standings.map(({ name, startSeconds, idleMemory }) => [name, fixed(startSeconds, 2), fixed(idleMemory)]),
  )

const rateOf = (rows: Row[], name: string): Result | undefined =>
  rows.find(({ operation }) => operation.name === name)?.latchkey

function extrasTable(extras: Extras, rows: Row[], { revoked }: Plan): string {
  const krl = rateOf(rows, 'krl')
  const { certificates, keygenKrl, krlRebuild, fanOut } = extras
  return table(
    ['', 'Latchkey', 'OpenSSH', 'ratio'],
    [
      [
        'certificates a second, on both cores',
        fixed(certificates.latchkey),
        fixed(certificates.keygen),
        times(certificates.ratio),
      ],
      [`KRL of ${revoked} serials from memory, ms of CPU`, fixed((krl?.cpu ?? 0) / 1000, 2), '–', '–'],
      [
        `KRL of ${revoked} serials rebuilt after a revocation, ms`,
        fixed(krlRebuild),
        fixed(keygenKrl),
        times(keygenKrl / krlRebuild),
      ],
      [`one notification to ${fanOut.streams} streams, ms until the last`, fixed(fanOut.milliseconds), '–', '–'],
      ['the same, µs of CPU a stream', fixed(fanOut.cpu), '–', '–'],
    ],
  )
}

const POSTGRES =
  'Every commit synced; the database, the processes and the load generators share the two cores. CPU is that of Latchkey alone.'

function postgresTable(rows: PostgresRow[]): string {
  const sum = (results: Result[]) => results.reduce((total, { rate }) => total + rate, 0)
  const most = (results: Result[]) => Math.max(...results.map(({ p99 }) => p99))
  return table(
    ['Operation', ...SPEEDS.slice(0, 4), 'two processes: a second', 'p99 ms'],
    rows.map(({ operation, one, two }) => [
      operation.title,
      ...speeds(one).slice(0, 4),
      fixed(sum(two)),
      fixed(most(two), 1),
    ]),
  )
}

function targets({ rows, standings, extras }: Findings): string[] {
  const lines: string[][] = []
  for (const { operation, limit, memory } of rows) {
    const { title } = operation
    if (limit && operation.limit)
      lines.push([
        `${title}: of the limit`,
        fixed(operation.limit, 2),
        fixed(limit.ratio, 2),
        verdict(limit.ratio >= operation.limit),
      ])
    if (memory && operation.peer)
      lines.push([
        `${title}: of the peer`,
        times(operation.peer),
        times(memory.ratio),
        verdict(memory.ratio >= operation.peer),
      ])
    if (limit && operation.limit) {
      const share = limit.first.p99 / limit.second.p99
      lines.push([
        `${title}: p99 of the limit's`,
        `≤ ${MOST_P99_OF_LIMIT} ×`,
        times(share),
        verdict(share <= MOST_P99_OF_LIMIT),
      ])
    }
    if (memory) {
      const share = memory.first.p99 / memory.second.p99
      lines.push([`${title}: p99 of the peer's`, '< 1 ×', times(share), verdict(share < 1)])
    }
  }
  if (extras) {
    const factor = extras.certificates.ratio
    lines.push([
      'certificates: of ssh-keygen -s',
      times(CERTIFICATE_FACTOR),
      times(factor),
      verdict(factor >= CERTIFICATE_FACTOR),
    ])
  }
  const own = standings.find(({ name }) => name === 'latchkey')
  if (own) {
    const { idleMemory, startSeconds } = own
    lines.push(['idle memory', `< ${MOST_IDLE_MB} MB`, `${fixed(idleMemory)} MB`, verdict(idleMemory < MOST_IDLE_MB)])
    lines.push([
      'first answer',
      `< ${LONGEST_START_SECONDS} s`,
      `${fixed(startSeconds, 2)} s`,
      verdict(startSeconds < LONGEST_START_SECONDS),
    ])
  }
  return ['## Targets', table(['Target', 'wanted', 'found', ''], lines)]
}

function machine(): string {
  const [processor] = cpus()
  const peer = JSON.parse(
    readFileSync(join(import.meta.dirname, '../node_modules/oidc-provider/package.json'), 'utf8'),
  ) as {
    version: string
  }
  const commit = commitOf()
  return [
    `${cpus().length} cores of ${processor?.model.trim() ?? 'an unknown processor'}`,
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
