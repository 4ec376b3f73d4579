import {
  attachLoad,
  compare,
  type Comparison,
  type Length,
  type LoadedServer,
  measureAlone,
  type Result,
} from './compare.ts'
import { type FanOut, measureFanOut } from './fan-out.ts'
import { type Certificates, measureCertificates, measureKeygenKrl, measureKrlRebuild } from './openssh.ts'
import type { Operation } from './operations.ts'
import { residentMemory, type Seeded, type Server, settle, startBaseline, startOnCopy, startPeer } from './servers.ts'
import { measureWaits, type Waits } from './waits.ts'

export interface Plan {
  workers: number
  warmUp: number
  /** How long to compare with the baseline, with the peer in memory and on SQLite, and to measure Latchkey alone. */
  baseline: Length
  memory: Length
  sqlite: Length
  alone: Length
  /** How long to issue certificates beside ssh-keygen. */
  certificates: Length
  keygenRuns: number
  revoked: number
  fanOuts: number
  /** How many hosts wait for the revocation list. */
  waitingHosts: number
  /** For how long they wait while nothing changes. */
  unchangedMs: number
}

export interface Row {
  operation: Operation
  latchkey: Result
  baseline?: Comparison
  memory?: Comparison
  sqlite?: Comparison
}

export interface ServerStart {
  name: string
  startSeconds: number
  idleMemory: number
}

export interface Extras {
  certificates: Certificates
  keygenKrl: number
  krlRebuild: number
  fanOut: FanOut
  waits: Waits
}

/** The servers of a run, each with its load generator. */
export interface RunningServers {
  seeded: Seeded
  starts: ServerStart[]
  latchkey: LoadedServer
  baseline: LoadedServer
  memory: LoadedServer
  sqlite: LoadedServer
  close(): Promise<void>
}

export async function startServers(folder: string, seeded: Seeded, batchedBaseline: boolean): Promise<RunningServers> {
  const { file, fixture } = seeded
  const servers: Server[] = []
  const loaded: LoadedServer[] = []
  const close = async () => {
    for (const each of loaded) each.close()
    await Promise.all(servers.map((server) => server.stop()))
  }
  const add = async (starting: Promise<Server>): Promise<LoadedServer> => {
    const server = await starting
    servers.push(server)
    const withLoad = await attachLoad(server)
    loaded.push(withLoad)
    return withLoad
  }
  try {
    const latchkey = await add(startOnCopy(folder, file))
    const baseline = await add(startBaseline(folder, file, fixture, batchedBaseline))
    const memory = await add(startPeer(folder, 'memory', fixture))
    const sqlite = await add(startPeer(folder, 'sqlite', fixture))
    await settle()
    const starts = servers.map(({ name, startSeconds, pid }) => ({
      name,
      startSeconds,
      idleMemory: residentMemory(pid),
    }))
    return { seeded, starts, latchkey, baseline, memory, sqlite, close }
  } catch (error) {
    await close()
    throw error
  }
}

/** Measures one operation: Latchkey beside each server that supports it, one after the other, and then alone. */
export async function measure(servers: RunningServers, operation: Operation, plan: Plan): Promise<Row> {
  const { latchkey, baseline, memory, sqlite } = servers
  const { fixture } = servers.seeded
  await latchkey.prepare(operation.name, fixture, plan.workers)
  const compareWith = async (other: LoadedServer, length: Length): Promise<Comparison> => {
    await other.prepare(operation.name, fixture, plan.workers)
    // Warmed up one after the other, right before the comparison: after some idle seconds Node collects garbage and
    // discards compiled code.
    for (const each of [other, latchkey]) await each.run(plan.warmUp)
    return compare(latchkey, other, length)
  }
  const row: Partial<Row> = {}
  if (operation.baselineTarget !== undefined) row.baseline = await compareWith(baseline, plan.baseline)
  if (operation.peerTarget !== undefined) {
    row.memory = await compareWith(memory, plan.memory)
    row.sqlite = await compareWith(sqlite, plan.sqlite)
  }
  if (!row.baseline && !row.memory) await latchkey.run(plan.warmUp)
  return { operation, ...row, latchkey: await measureAlone(latchkey, plan.alone) }
}

/** What the other servers do not support; OpenSSH's own tool does part of it. */
export async function measureExtras({ latchkey, seeded }: RunningServers, folder: string, plan: Plan): Promise<Extras> {
  const { server } = latchkey
  const { fixture } = seeded
  return {
    certificates: await measureCertificates(folder, seeded, plan),
    keygenKrl: measureKeygenKrl(folder, plan.revoked),
    krlRebuild: await measureKrlRebuild(server, fixture),
    fanOut: await measureFanOut(server, fixture, plan.fanOuts),
    waits: await measureWaits(seeded, plan.waitingHosts, plan.unchangedMs),
  }
}
