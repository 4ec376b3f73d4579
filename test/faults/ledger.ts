import assert from 'node:assert/strict'
import { pick, type Random } from './run-options.ts'

/** A statement about the service that is true or false, and how to check it. */
export interface Fact {
  /** Identifies the fact, such as `token at_…`. */
  key: string
  holds(): Promise<boolean>
}

/** The value that a request gives to a fact. */
export interface Effect extends Fact {
  becomes: boolean
}

export const becomes = (value: boolean, fact: Fact): Effect => ({ ...fact, becomes: value })

interface Entry {
  fact: Fact
  /** Undefined while uncertain. */
  expected: boolean | undefined
}

/** A request without an answer: either all of its effects happened or none. */
interface UncertainRequest {
  request: string
  effects: { key: string; before: boolean; after: boolean }[]
}

export interface Ledger {
  /** The request was acknowledged: its effects must hold from now on. */
  acknowledged(effects: Effect[]): void
  /** The answer was lost: all of its effects hold, or none. */
  uncertain(request: string, effects: Effect[]): void
  /** The request was refused: none of its effects hold. */
  notDone(effects: Effect[]): void
  /** Stops tracking a fact that something else will change. */
  forget(key: string): void
  /** Checks the new facts and a sample of the others, or all facts; returns how many were checked. */
  verify(extent: 'all' | { random: Random; sample: number }): Promise<number>
}

const CONCURRENCY = 8

/** Records what the service acknowledged to its clients, and checks it against the state of the service later. */
export function createLedger(): Ledger {
  const entries = new Map<string, Entry>()
  const uncertainRequests: UncertainRequest[] = []
  const unverified = new Set<string>()

  const beforeOf = ({ key, becomes: after }: Effect): boolean => entries.get(key)?.expected ?? !after
  const set = (fact: Fact, expected: boolean | undefined) => {
    entries.set(fact.key, { fact, expected })
    unverified.add(fact.key)
  }

  const checkFacts = async (keys: string[]): Promise<Map<string, boolean>> => {
    const seen = new Map<string, boolean>()
    const left = [...keys]
    const work = async () => {
      for (let key = left.pop(); key !== undefined; key = left.pop()) {
        const entry = entries.get(key)
        if (entry) seen.set(key, await entry.fact.holds())
      }
    }
    await Promise.all(Array.from({ length: CONCURRENCY }, work))
    return seen
  }

  return {
    acknowledged: (effects) => effects.forEach((effect) => set(effect, effect.becomes)),
    notDone: (effects) => effects.forEach((effect) => set(effect, beforeOf(effect))),
    uncertain(request, effects) {
      const possible = effects.map((effect) => ({
        key: effect.key,
        before: beforeOf(effect),
        after: effect.becomes,
      }))
      uncertainRequests.push({ request, effects: possible })
      effects.forEach((effect) => set(effect, undefined))
    },
    forget(key) {
      entries.delete(key)
      unverified.delete(key)
    },
    async verify(extent) {
      const keys = new Set(extent === 'all' ? entries.keys() : unverified)
      if (extent !== 'all') {
        const known = [...entries.keys()]
        for (let count = 0; count < extent.sample; count++) keys.add(pick(extent.random, known) ?? '')
      }
      const seen = await checkFacts([...keys])
      const wrong: string[] = []
      for (const { request, effects } of uncertainRequests.splice(0)) {
        const values = effects.map(({ key }) => seen.get(key))
        const isDone = effects.every(({ after }, index) => values[index] === after)
        const isUndone = effects.every(({ before }, index) => values[index] === before)
        if (!isDone && !isUndone) wrong.push(`partly done: ${request}: ${JSON.stringify(effects)} is ${values.join()}`)
      }
      for (const [key, value] of seen) {
        const entry = entries.get(key)
        if (!entry) continue
        if (entry.expected !== undefined && entry.expected !== value) wrong.push(`${key} is ${value}`)
        entry.expected = value
      }
      unverified.clear()
      assert.deepEqual(wrong, [], 'What was acknowledged does not hold.')
      return seen.size
    },
  }
}
