import { randomUUID, randomUUIDv7 } from 'node:crypto'
import type { Random } from './crypto/random.ts'

/** 22 base64url characters carry 132 random bits. */
export const newUserId = (random: Random): string => `usr_${random.text(17).slice(0, 22)}`

/**
 * Everything that is not a user. `randomUUID` joins fourteen pieces, which take 480 bytes together until the string is first
 * read; `toLowerCase` reads it, changes nothing, and leaves one piece of 56.
 */
export const newId = (): string => randomUUID().toLowerCase()

/**
 * For what is written often and kept: these begin with the time (RFC 9562 §5.7), so that new rows are next to each other
 * in the index, and a commit writes a few of its pages instead of one for each row. They reveal when the row was made.
 * Those of one process ascend, also within a millisecond.
 */
export function newOrderedId(): string {
  const id = randomUUIDv7()
  newest = id > newest ? id : increment(newest)
  return newest
}

let newest = ''

/** Makes ids in ascending order, all greater than `before`, also when that is of this millisecond or the clock went back. */
export function idsAfter(before: string | null | undefined): () => string {
  let last: string | undefined
  const first = (): string => {
    const id = newOrderedId()
    return before === null || before === undefined || id > before ? id : increment(before)
  }
  return () => (last = last === undefined ? first() : increment(last))
}

/** The last of the five groups is a number of 48 bits. Only that one is incremented, until it overflows. */
function increment(id: string): string {
  const count = Number.parseInt(id.slice(24), 16) + 1
  if (count < 2 ** 48) return id.slice(0, 24) + count.toString(16).padStart(12, '0')
  const digits = (BigInt(`0x${id.replaceAll('-', '')}`) + 1n).toString(16).padStart(32, '0')
  return digits.replace(UUID_DIGITS, '$1-$2-$3-$4-$5')
}

const UUID_DIGITS = /^(.{8})(.{4})(.{4})(.{4})(.{12})$/
