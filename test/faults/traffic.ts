import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import type { TestContext } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { until } from '../support/replicas.ts'
import { changePassword, endOtherSessions, registerPerson, signIn, signOut } from './account-writes.ts'
import {
  cancelScheduled,
  disableNow,
  issueCertificate,
  scheduleForLater,
  scheduleSoon,
  revokeCertificate,
  toggleRole,
} from './administrative-writes.ts'
import { type Attempts, createAttempts } from './attempt.ts'
import { createFacts } from './facts.ts'
import type { Installation } from './installation.ts'
import { becomes, createLedger, type Ledger } from './ledger.ts'
import { fork, isLongForm, pick, type Random } from './run-options.ts'
import { authorize, refresh, revokeAccessToken, revokeRefreshToken, useOwnToken } from './token-writes.ts'
import { effectsOfDisabling, type Person, type WorkerContext, type Write } from './worker-context.ts'

/** Mixed writes of several workers, and the record of their expected effects. */
export interface Traffic {
  attempts: Attempts
  /** Starts all workers; the returned function stops them and waits for their current requests. */
  start(): () => Promise<void>
  verify: Ledger['verify']
  /** Waits until each scheduled action that is due was completed, and expects its effects from then on. */
  settle(): Promise<void>
  acknowledged(): number
}

const WORKERS = 6
const MAX_PEOPLE = 4
/** An action that a killed process had claimed is retried when its lease of ten seconds expires. */
const MAX_SETTLE_MS = 20_000

/** Revocations are chosen more often, because many of them find nothing to revoke. */
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
  ...repeat(toggleRole, 2),
  ...repeat(scheduleForLater, 2),
  ...repeat(cancelScheduled, 3),
  scheduleSoon,
  disableNow,
]

interface TrafficOptions {
  soonMs?: WorkerContext['soonMs']
  /** How long a worker waits between two writes. Without any wait most of the time of the short form would go into checking them. */
  pauseMs?: number
}

export function createTraffic(
  t: TestContext,
  installation: Installation,
  random: Random,
  { soonMs = [1000, 3300], pauseMs = isLongForm ? 0 : 30 }: TrafficOptions = {},
): Traffic {
  const facts = createFacts(installation)
  const ledger = createLedger()
  const attempts = createAttempts(ledger)
  const run = randomBytes(4).toString('hex')
  let people = 0
  const { attempt } = attempts
  const contexts: WorkerContext[] = Array.from({ length: WORKERS }, () => ({
    installation,
    facts,
    ledger,
    attempt,
    random: fork(random),
    scheduledDisablings: [],
    soonMs,
  }))
  const workers = contexts.map((context) => ({ context, people: [] as Person[], tokens: [] as string[] }))

  const act = async ({ context, people: held, tokens }: (typeof workers)[number]): Promise<void> => {
    const { random: choose } = context
    if (held.length === 0 || (held.length < MAX_PEOPLE && choose() < 0.1)) {
      const person = await registerPerson(context, `p${++people}-${run}@example.com`)
      if (person) held.push(person)
      return
    }
    if (choose() < 0.1) return useOwnToken(context, tokens)
    const person = pick(choose, held)
    const write = pick(choose, WRITES)
    if (!person || !write || (await write(context, person))) return
    held.splice(held.indexOf(person), 1)
  }

  return {
    attempts,
    start() {
      const stopping = new AbortController()
      const running = workers.map(async (worker) => {
        while (!stopping.signal.aborted) {
          await act(worker)
          if (pauseMs > 0) await setTimeout(pauseMs)
        }
      })
      const stop = async () => {
        stopping.abort()
        await Promise.all(running)
      }
      t.after(stop)
      return stop
    },
    async verify(extent) {
      facts.clearCache()
      assert.deepEqual(attempts.unexpected, [], 'These failures are not caused by the fault.')
      return ledger.verify(extent)
    },
    async settle() {
      for (const { person, actionId } of contexts.flatMap(({ scheduledDisablings }) => scheduledDisablings.splice(0))) {
        const completed = facts.hasAction(person.id, actionId, ['completed'])
        await until(completed.holds, MAX_SETTLE_MS)
        ledger.acknowledged([becomes(true, completed), ...effectsOfDisabling(facts, person)])
      }
    },
    acknowledged: () => [...attempts.acknowledged.values()].reduce((sum, count) => sum + count, 0),
  }
}

function repeat<T>(what: T, times: number): T[] {
  return Array.from({ length: times }, () => what)
}
