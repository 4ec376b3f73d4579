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

/** One that stands behind another, also when both are of the same millisecond or the clock went back. */
export function newIdAfter(last: string | null | undefined): string {
  const id = newOrderedId()
  if (last === null || last === undefined || id > last) return id
  const next = BigInt(`0x${last.replaceAll('-', '')}`) + 1n
  return next.toString(16).padStart(32, '0').replace(UUID_DIGITS, '$1-$2-$3-$4-$5')
}

const UUID_DIGITS = /^(.{8})(.{4})(.{4})(.{4})(.{12})$/
