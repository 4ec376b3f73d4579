import { appendFileSync } from 'node:fs'
import type { TestContext } from 'node:test'

/** How often the long form does what the short one does a few times; set by `npm run test:faults`. */
const asked = Number(process.env['FAULT_ROUNDS'] ?? 0)

/** As many as the short form has, or the share that this test takes of what the long form asks for. */
export const rounds = (short: number, share = 1): number => Math.max(short, Math.round(asked * share))

export type Random = () => number

/** The same choices for the same seed; the seed of a run is printed, and FAULT_SEED gives it again. */
export function seededRandom(t: TestContext): Random {
  const seed = Number(process.env['FAULT_SEED'] ?? Math.floor(Math.random() * 2 ** 31))
  t.diagnostic(`FAULT_SEED=${seed}`)
  return mulberry32(seed)
}

/** A generator of its own, so that what one does leaves the choices of another alone. */
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

export const between = (random: Random, least: number, most: number): number => least + random() * (most - least)

export const pick = <T>(random: Random, from: readonly T[]): T | undefined => from[Math.floor(random() * from.length)]

/** One line of the table that `npm run test:faults` ends with. */
export function figure(t: TestContext, part: string, what: string, value: number | string): void {
  const shown = typeof value === 'number' ? String(Math.round(value)) : value
  t.diagnostic(`${part}: ${what}: ${shown}`)
  const file = process.env['FAULT_FIGURES']
  if (file !== undefined) appendFileSync(file, `${JSON.stringify({ part, what, value: shown })}\n`)
}
