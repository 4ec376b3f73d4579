import { randomUUID } from 'node:crypto'
import type { Random } from './crypto/random.ts'

/** 22 base64url characters carry 132 random bits. */
export const newUserId = (random: Random): string => `usr_${random.text(17).slice(0, 22)}`

/** Everything that is not a user. */
export const newId = (): string => randomUUID()
