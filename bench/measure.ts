import { type Contestant, createContestant, type Duel, duel, type Length, type Result, solo } from './duel.ts'
import { type FanOut, measureFanOut } from './fan-out.ts'
import { type Certificates, measureCertificates, measureKeygenKrl, measureKrlRebuild } from './openssh.ts'
import type { Operation } from './operations.ts'
import { residentMemory, type Seeded, type Server, startLimit, startOnCopy, startPeer } from './servers.ts'

export interface Plan {
  workers: number
  warmUp: number
  /** Against the limit, in memory, and on SQLite; and of an operation that nobody else does. */
  limit: Length
  memory: Length
  sqlite: Length
  alone: Length
  /** Certificates, as many as it can. */
  flood: Length
  keygenRuns: number
  revoked: number
  fanOuts: number
}

export interface Row {
  operation: Operation
  latchkey: Result
  limit?: Duel
  memory?: Duel
  sqlite?: Duel
}

export interface Standing {
  name: string
  startSeconds: number
  idleMemory: number
}

export interface Extras {
  certificates: Certificates
  keygenKrl: number
  krlRebuild: number
  fanOut: FanOut
}

/** The servers of a run, each with its load generator. */
export interface Field {
  seeded: Seeded
  standings: Standing[]
  latchkey: Contestant
  limit: Contestant
  memory: Contestant
  sqlite: Contestant
  close(): Promise<void>
}

/** Long enough for Latchkey to have given back what starting needed. */
const SETTLING_MS = 3000

export async function openField(folder: string, seeded: Seeded, limitTogether: boolean): Promise<Field> {
  const { file, fixture } = seeded
  const servers: Server[] = []
  const contestants: Contestant[] = []
  const close = async () => {
    for (const contestant of contestants) contestant.close()
    await Promise.all(servers.map((server) => server.stop()))
  }
  const enter = async (starting: Promise<Server>): Promise<Contestant> => {
    const server = await starting
    servers.push(server)
    const contestant = await createContestant(server)
    contestants.push(contestant)
    return contestant
  }
  try {
    const latchkey = await enter(startOnCopy(folder, file))
    const limit = await enter(startLimit(folder, file, fixture, limitTogether))
    const memory = await enter(startPeer(folder, 'memory', fixture))
    const sqlite = await enter(startPeer(folder, 'sqlite', fixture))
    await new Promise((resolve) => setTimeout(resolve, SETTLING_MS))
    const standings = servers.map(({ name, startSeconds, pid }) => ({
      name,
      startSeconds,
      idleMemory: residentMemory(pid),
    }))
    return { seeded, standings, latchkey, limit, memory, sqlite, close }
  } catch (error) {
    await close()
    throw error
  }
}

/** One operation on every server that does it, two by two. */
export async function measure(field: Field, operation: Operation, plan: Plan): Promise<Row> {
  const { latchkey, limit, memory, sqlite } = field
  const { fixture } = field.seeded
  await latchkey.prepare(operation.name, fixture, plan.workers)
  const against = async (other: Contestant, length: Length): Promise<Duel> => {
    await other.prepare(operation.name, fixture, plan.workers)
    // One after the other, and right before they meet: when Node has nothing to do for some seconds, it cleans up, and
    // forgets much of what it had learned about the code.
    for (const each of [other, latchkey]) await each.run(plan.warmUp)
    return duel(latchkey, other, length)
  }
  const row: Partial<Row> = {}
  if (operation.limit !== undefined) row.limit = await against(limit, plan.limit)
  if (operation.peer !== undefined) {
    row.memory = await against(memory, plan.memory)
    row.sqlite = await against(sqlite, plan.sqlite)
  }
  if (!row.limit && !row.memory) await latchkey.run(plan.warmUp)
  return { operation, ...row, latchkey: await solo(latchkey, plan.alone) }
}

/** What no other server does, and what OpenSSH's own tool does instead. */
export async function measureExtras({ latchkey, seeded }: Field, folder: string, plan: Plan): Promise<Extras> {
  const { server } = latchkey
  const { fixture } = seeded
  return {
    certificates: await measureCertificates(folder, seeded, plan),
    keygenKrl: measureKeygenKrl(folder, plan.revoked),
    krlRebuild: await measureKrlRebuild(server, fixture),
    fanOut: await measureFanOut(server, fixture, plan.fanOuts),
  }
}
