import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { createDatabase, DURABLE_FLAGS, startPostgres } from '../test/support/postgres.ts'
import { expect, openConnection, postJson } from './connection.ts'
import { type Fixture, ISSUER } from './fixture.ts'
import { seedHosts } from './seed-hosts.ts'
import { seed } from './seed.ts'
import {
  newFolder,
  processorTime,
  removeFolder,
  residentMemory,
  type Server,
  settle,
  startLatchkey,
} from './servers.ts'
import { openWaitingHosts, type WaitingHosts } from './waiting-hosts.ts'

export interface Waits {
  hosts: number
  /** Of the server before any host waits, in MB. */
  idle: number
  /** The share of a core that the server uses while nothing changes. */
  core: number
  /** Of the server, in MB, at the end of that time. */
  memory: number
  first: FanOut
  /** It finds what the first has left behind. */
  second: FanOut
  /** Somebody who may log in to all hosts is disabled: both lists change, and on managed hosts the accounts too. */
  disable: FanOut
}

export interface FanOut {
  /** Milliseconds from the request until the last host is told. */
  told: number
  /** The same until the last host has fetched the new lists. */
  fetched: number
  /** Milliseconds of processor time that the server used until then. On an idle machine it is nearly all of that time. */
  processor: number
  /** Of the server, in MB, when all hosts have it and wait again. */
  memory: number
}

/** The targets with 10,000 hosts. */
export const MAX_WAITING_CORE = 0.15
export const MAX_WAITING_MB = 400
export const MAX_REVOCATION_MS = 3000

/** In a minute every host is answered with 304 once, and comes back. */
export const UNCHANGED_MS = 60_000
const SETTLING_MS = 2000
const LATE_MS = 60_000
/** The request stands in line with those of all hosts. */
const ANSWER_TIMEOUT_MS = 90_000

interface Plan {
  hosts: number
  managed?: boolean
  different?: boolean
  revoked: number
  unchangedMs: number
  onPostgres?: boolean
}

/** Lets as many enrolled hosts wait on a server that does nothing else. */
export async function measureWaits({ onPostgres = false, ...plan }: Plan): Promise<Waits> {
  const folder = newFolder()
  const postgres = onPostgres ? await startPostgres(DURABLE_FLAGS) : undefined
  try {
    const databaseUrl = postgres ? await createDatabase(postgres.url, 'bench') : `sqlite:${join(folder, 'hosts.db')}`
    return await measureOn(databaseUrl, folder, plan)
  } finally {
    await postgres?.stop()
    removeFolder(folder)
  }
}

async function measureOn(
  databaseUrl: string,
  folder: string,
  { hosts, managed = false, different = false, revoked, unchangedMs }: Omit<Plan, 'onPostgres'>,
): Promise<Waits> {
  const fixture = await seed(databaseUrl, folder, revoked)
  const tokens = await seedHosts(databaseUrl, folder, { count: hosts, managed, different }, fixture.victimId)
  let waiting: WaitingHosts | undefined
  const server = await startLatchkey({ folder, databaseUrl })
  try {
    await settle()
    const idle = residentMemory(server.pid)
    waiting = await openWaitingHosts(server.port, tokens, managed)
    await sleep(SETTLING_MS)
    const core = await measureUnchanged(server, unchangedMs)
    const memory = residentMemory(server.pid)
    if (unchangedMs >= UNCHANGED_MS) await untilAnswered(waiting)
    const revocation = (at: number) => ({
      path: `/api/ssh/certs/${fixture.certificateIds.at(-1 - at)}/revoke`,
      body: {},
    })
    const disabling = { path: `/api/admin/users/${fixture.victimId}/lifecycle`, body: { action: 'disable' } }
    return {
      hosts,
      idle,
      core,
      memory,
      first: await measureFanOut(server, fixture, waiting, revocation(0)),
      second: await measureFanOut(server, fixture, waiting, revocation(1)),
      disable: await measureFanOut(server, fixture, waiting, disabling),
    }
  } finally {
    waiting?.close()
    await server.stop()
  }
}

/** On a machine that does other things too, answers are late. One that never comes is a fault. */
async function untilAnswered(waiting: WaitingHosts): Promise<void> {
  const began = performance.now()
  while (waiting.unanswered() > 0) {
    if (performance.now() - began > LATE_MS) throw new Error(`${waiting.unanswered()} hosts were not answered.`)
    await sleep(100)
  }
}

async function measureUnchanged({ pid }: Server, milliseconds: number): Promise<number> {
  const before = { used: processorTime(pid), at: performance.now() }
  await sleep(milliseconds)
  return (processorTime(pid) - before.used) / 1e6 / (performance.now() - before.at)
}

async function measureFanOut(
  { port, pid }: Server,
  { people }: Fixture,
  hosts: WaitingHosts,
  { path, body }: { path: string; body: unknown },
): Promise<FanOut> {
  const connection = await openConnection(port, ANSWER_TIMEOUT_MS)
  try {
    const headers = { Cookie: `session=${people[0]?.session}`, Origin: ISSUER }
    const request = postJson(path, body, headers)
    const before = processorTime(pid)
    const times = await hosts.change(async () => expect(await connection.send(request), 200, ''))
    const processor = (processorTime(pid) - before) / 1e6
    await sleep(SETTLING_MS)
    return { ...times, processor, memory: residentMemory(pid) }
  } finally {
    connection.close()
  }
}
