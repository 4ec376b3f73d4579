import { randomUUID, randomUUIDv7 } from 'node:crypto'
import type { Random } from './crypto/random.ts'

/** 22 base64url characters carry 132 random bits. */
export const newUserId = (random: Random): string => `usr_${random.text(17).slice(0, 22)}`

/** Everything that is not a user. */
export const newId = (): string => randomUUID()

/**
 * For what is written often and kept: these begin with the time (RFC 9562 §5.7), so that new rows stand side by side in
 * the index, and a commit writes a few of its pages instead of one for each row. They tell when the row was made.
 */
export const newOrderedId = (): string => randomUUIDv7()

/** Gives out ids in order, all of them behind that one, also when it is of this millisecond or the clock went back. */
export function idsAfter(before: string | null | undefined): () => string {
  let last: string | undefined
  const begin = (): string => {
    const id = newOrderedId()
    return before === null || before === undefined || id > before ? id : next(before)
  }
  return () => (last = last === undefined ? begin() : next(last))
}

/** The last of the five groups is a number of 48 bits, and alone is counted up as long as there is room. */
function next(id: string): string {
  const count = Number.parseInt(id.slice(24), 16) + 1
  if (count < 2 ** 48) return id.slice(0, 24) + count.toString(16).padStart(12, '0')
  const digits = (BigInt(`0x${id.replaceAll('-', '')}`) + 1n).toString(16).padStart(32, '0')
  return digits.replace(UUID_DIGITS, '$1-$2-$3-$4-$5')
}

const UUID_DIGITS = /^(.{8})(.{4})(.{4})(.{4})(.{12})$/
