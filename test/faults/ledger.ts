import assert from 'node:assert/strict'
import { pick, type Random } from './rounds.ts'

/** Something about the service that is so or not so, and how to find out. */
export interface Fact {
  /** Names it: `token at_…`. The same key is the same fact. */
  key: string
  isSo(): Promise<boolean>
}

/** What a request does to a fact. */
export interface Effect extends Fact {
  becomes: boolean
}

export const becomes = (value: boolean, fact: Fact): Effect => ({ ...fact, becomes: value })

interface Entry {
  fact: Fact
  /** Undefined while nobody knows. */
  expected: boolean | undefined
}

/** What a request did whose answer never came: all of it or nothing. */
interface Doubt {
  request: string
  effects: { key: string; before: boolean; after: boolean }[]
}

export interface Ledger {
  /** The answer was read: from now on it is so. */
  acknowledged(effects: Effect[]): void
  /** The answer was lost: it is so or not, but not half so. */
  doubtful(request: string, effects: Effect[]): void
  /** The answer said that it was not done: everything is as before. */
  notDone(effects: Effect[]): void
  /** No longer kept: something else will change it. */
  forget(key: string): void
  /** Looks at what is new and at a sample of the rest, or at everything; answers how many facts it looked at. */
  verify(extent: 'all' | { random: Random; sample: number }): Promise<number>
}

const AT_ONCE = 8

/** What the clients of a service were told, to hold it against what the service says later. */
export function createLedger(): Ledger {
  const entries = new Map<string, Entry>()
  const doubts: Doubt[] = []
  const fresh = new Set<string>()

  const beforeOf = ({ key, becomes: after }: Effect): boolean => entries.get(key)?.expected ?? !after
  const set = (fact: Fact, expected: boolean | undefined) => {
    entries.set(fact.key, { fact, expected })
    fresh.add(fact.key)
  }

  const look = async (keys: string[]): Promise<Map<string, boolean>> => {
    const seen = new Map<string, boolean>()
    const left = [...keys]
    const work = async () => {
      for (let key = left.pop(); key !== undefined; key = left.pop()) {
        const entry = entries.get(key)
        if (entry) seen.set(key, await entry.fact.isSo())
      }
    }
    await Promise.all(Array.from({ length: AT_ONCE }, work))
    return seen
  }

  return {
    acknowledged: (effects) => effects.forEach((effect) => set(effect, effect.becomes)),
    notDone: (effects) => effects.forEach((effect) => set(effect, beforeOf(effect))),
    doubtful(request, effects) {
      const doubt = effects.map((effect) => ({
        key: effect.key,
        before: beforeOf(effect),
        after: effect.becomes,
      }))
      doubts.push({ request, effects: doubt })
      effects.forEach((effect) => set(effect, undefined))
    },
    forget(key) {
      entries.delete(key)
      fresh.delete(key)
    },
    async verify(extent) {
      const keys = new Set(extent === 'all' ? entries.keys() : fresh)
      if (extent !== 'all') {
        const known = [...entries.keys()]
        for (let count = 0; count < extent.sample; count++) keys.add(pick(extent.random, known) ?? '')
      }
      const seen = await look([...keys])
      const wrong: string[] = []
      for (const { request, effects } of doubts.splice(0)) {
        const values = effects.map(({ key }) => seen.get(key))
        const isDone = effects.every(({ after }, index) => values[index] === after)
        const isUndone = effects.every(({ before }, index) => values[index] === before)
        if (!isDone && !isUndone) wrong.push(`half done: ${request}: ${JSON.stringify(effects)} is ${values.join()}`)
      }
      for (const [key, isSo] of seen) {
        const entry = entries.get(key)
        if (!entry) continue
        if (entry.expected !== undefined && entry.expected !== isSo) wrong.push(`${key} is ${isSo}`)
        entry.expected = isSo
      }
      fresh.clear()
      assert.deepEqual(wrong, [], 'What was acknowledged does not hold.')
      return seen.size
    },
  }
}
