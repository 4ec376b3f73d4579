import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import type { TestContext } from 'node:test'
import { until } from '../support/replicas.ts'
import { changePassword, endOtherSessions, registerPerson, signIn, signOut } from './account-writes.ts'
import {
  cancelPlanned,
  disableNow,
  issueCertificate,
  planForLater,
  planSoon,
  revokeCertificate,
  turnRole,
} from './administrative-writes.ts'
import { type Attempts, createAttempts } from './attempt.ts'
import { createFacts } from './facts.ts'
import { becomes, createLedger, type Ledger } from './ledger.ts'
import { fork, pick, type Random } from './rounds.ts'
import { cutOff, type Person, type Scene, type Write } from './scene.ts'
import { authorize, refresh, revokeAccessToken, revokeRefreshToken, useOwnToken } from './token-writes.ts'
import type { World } from './world.ts'

/** Mixed writes over several connections, and the book that is kept of them. */
export interface Traffic {
  attempts: Attempts
  /** Starts all workers; the returned function ends them and waits for what they are about. */
  start(): () => Promise<void>
  verify: Ledger['verify']
  /** Waits for planned actions whose time has come, and looks whether each was carried out to its end. */
  settle(): Promise<void>
  acknowledged(): number
}

const WORKERS = 6
const MOST_PEOPLE = 4
/** What a process held when it died is taken up when its lease of ten seconds is over. */
const SETTLED_MS = 20_000

/** Whatever is revoked has to be there first, and most choices of a revocation find nothing to revoke. */
const WRITES: Write[] = [
  ...repeat(signIn, 2),
  ...repeat(signOut, 3),
  endOtherSessions,
  changePassword,
  ...repeat(authorize, 4),
  ...repeat(refresh, 4),
  ...repeat(revokeAccessToken, 6),
  ...repeat(revokeRefreshToken, 4),
  ...repeat(issueCertificate, 5),
  ...repeat(revokeCertificate, 6),
  ...repeat(turnRole, 2),
  ...repeat(planForLater, 2),
  ...repeat(cancelPlanned, 3),
  planSoon,
  disableNow,
]

export function createTraffic(
  t: TestContext,
  world: World,
  random: Random,
  soonMs: Scene['soonMs'] = [1000, 3300],
): Traffic {
  const facts = createFacts(world)
  const ledger = createLedger()
  const attempts = createAttempts(ledger)
  const run = randomBytes(4).toString('hex')
  let people = 0
  const { attempt } = attempts
  const scenes: Scene[] = Array.from({ length: WORKERS }, () => ({
    world,
    facts,
    ledger,
    attempt,
    random: fork(random),
    doomed: [],
    soonMs,
  }))
  const workers = scenes.map((scene) => ({ scene, people: [] as Person[], tokens: [] as string[] }))

  const act = async ({ scene, people: held, tokens }: (typeof workers)[number]): Promise<void> => {
    const { random: choose } = scene
    if (held.length === 0 || (held.length < MOST_PEOPLE && choose() < 0.1)) {
      const person = await registerPerson(scene, `p${++people}-${run}@example.com`)
      if (person) held.push(person)
      return
    }
    if (choose() < 0.1) return useOwnToken(scene, tokens)
    const person = pick(choose, held)
    const write = pick(choose, WRITES)
    if (!person || !write || (await write(scene, person))) return
    held.splice(held.indexOf(person), 1)
  }

  return {
    attempts,
    start() {
      const stopping = new AbortController()
      const running = workers.map(async (worker) => {
        while (!stopping.signal.aborted) await act(worker)
      })
      const stop = async () => {
        stopping.abort()
        await Promise.all(running)
      }
      t.after(stop)
      return stop
    },
    async verify(extent) {
      facts.lookAgain()
      assert.deepEqual(attempts.unexpected, [], 'These answers no fault excuses.')
      return ledger.verify(extent)
    },
    async settle() {
      for (const { person, actionId } of scenes.flatMap(({ doomed }) => doomed.splice(0))) {
        const completed = facts.hasAction(person.id, actionId, ['completed'])
        await until(completed.isSo, SETTLED_MS)
        ledger.acknowledged([becomes(true, completed), ...cutOff(facts, person)])
      }
    },
    acknowledged: () => [...attempts.acknowledged.values()].reduce((sum, count) => sum + count, 0),
  }
}

function repeat<T>(what: T, times: number): T[] {
  return Array.from({ length: times }, () => what)
}
