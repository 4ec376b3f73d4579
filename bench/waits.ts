import { copyFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, openConnection, postJson } from './connection.ts'
import { type Fixture, ISSUER } from './fixture.ts'
import { seedHosts } from './seed-hosts.ts'
import {
  newFolder,
  processorTime,
  removeFolder,
  residentMemory,
  type Seeded,
  type Server,
  settle,
  startOnCopy,
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
  first: Revocation
  /** It finds what the first has left behind. */
  second: Revocation
}

export interface Revocation {
  /** Milliseconds from the request for a revocation until the last host is told. */
  told: number
  /** The same until the last host has fetched the new list. */
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

/** Lets as many enrolled hosts wait on a server that does nothing else. */
export async function measureWaits({ file, fixture }: Seeded, hosts: number, unchangedMs: number): Promise<Waits> {
  const folder = newFolder()
  let server: Server | undefined
  let waiting: WaitingHosts | undefined
  try {
    const own = join(folder, 'hosts.db')
    copyFileSync(file, own)
    const tokens = await seedHosts(`sqlite:${own}`, folder, hosts)
    server = await startOnCopy(folder, own)
    await settle()
    const idle = residentMemory(server.pid)
    waiting = await openWaitingHosts(server.port, tokens)
    await sleep(SETTLING_MS)
    const core = await measureUnchanged(server, unchangedMs)
    const memory = residentMemory(server.pid)
    const isWhole = unchangedMs >= UNCHANGED_MS
    if (isWhole && waiting.unchanged() < hosts)
      throw new Error(`${hosts - waiting.unchanged()} hosts were not answered.`)
    const first = await measureRevocation(server, fixture, waiting, 0)
    const second = await measureRevocation(server, fixture, waiting, 1)
    return { hosts, idle, core, memory, first, second }
  } finally {
    waiting?.close()
    await server?.stop()
    removeFolder(folder)
  }
}

async function measureUnchanged({ pid }: Server, milliseconds: number): Promise<number> {
  const before = { used: processorTime(pid), at: performance.now() }
  await sleep(milliseconds)
  return (processorTime(pid) - before.used) / 1e6 / (performance.now() - before.at)
}

async function measureRevocation(
  { port, pid }: Server,
  { people, certificateIds }: Fixture,
  hosts: WaitingHosts,
  at: number,
): Promise<Revocation> {
  const connection = await openConnection(port)
  try {
    const headers = { Cookie: `session=${people[0]?.session}`, Origin: ISSUER }
    const request = postJson(`/api/ssh/certs/${certificateIds.at(-1 - at)}/revoke`, {}, headers)
    const before = processorTime(pid)
    const times = await hosts.revoke(async () => expect(await connection.send(request), 200, '"success":true'))
    const processor = (processorTime(pid) - before) / 1e6
    await sleep(SETTLING_MS)
    return { ...times, processor, memory: residentMemory(pid) }
  } finally {
    connection.close()
  }
}
