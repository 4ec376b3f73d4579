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
