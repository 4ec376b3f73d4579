import { appendFileSync } from 'node:fs'
import type { TestContext } from 'node:test'

/** The number of rounds in the long form, which `npm run test:faults` sets. */
const longFormRounds = Number(process.env['FAULT_ROUNDS'] ?? 0)

export const isLongForm = longFormRounds > 0

/** The number of rounds of the short form, or this share of the rounds of the long form. */
export const rounds = (short: number, share = 1): number => Math.max(short, Math.round(longFormRounds * share))

export type Random = () => number

/** A generator whose seed is printed, so that FAULT_SEED repeats the same choices. */
export function seededRandom(t: TestContext): Random {
  const seed = Number(process.env['FAULT_SEED'] ?? Math.floor(Math.random() * 2 ** 31))
  t.diagnostic(`FAULT_SEED=${seed}`)
  return mulberry32(seed)
}

/** A separate generator, so that parallel workers do not change the sequence of each other. */
export const fork = (random: Random): Random => mulberry32(Math.floor(random() * 2 ** 32))

function mulberry32(seed: number): Random {
  let state = seed | 0
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

export const between = (random: Random, min: number, max: number): number => min + random() * (max - min)

export const pick = <T>(random: Random, from: readonly T[]): T | undefined => from[Math.floor(random() * from.length)]

/** Adds a line to the table that `npm run test:faults` prints. */
export function figure(t: TestContext, part: string, what: string, value: number | string): void {
  const shown = typeof value === 'number' ? String(Math.round(value)) : value
  t.diagnostic(`${part}: ${what}: ${shown}`)
  const file = process.env['FAULT_FIGURES']
  if (file !== undefined) appendFileSync(file, `${JSON.stringify({ part, what, value: shown })}\n`)
}
