import { createHash } from 'node:crypto'
import { setImmediate } from 'node:timers/promises'
import type { Reader } from '../../storage/database.ts'
import { LAST_SERIAL } from '../certificates/serial-store.ts'
import {
  findPositionAfter,
  listRevokedBetween,
  listRevokedRanges,
  type ExpiryPosition,
  type Holder,
  type Revoked,
  type RevokedRange,
} from './revocation-store.ts'

/** All revocations that a list holds, as they were read. */
export interface Revocations extends Revoked {
  ranges: RevokedRange[]
  /** When the first certificate of the list expires, and the list changes. */
  until: number
  digest: string
}

/** Reading this many takes a few milliseconds. SQLite runs on this thread, so other requests wait for that long. */
const PAGE = 1024

/** After all certificates. */
const END: ExpiryPosition = { validBefore: Number.MAX_SAFE_INTEGER, serial: LAST_SERIAL }

/** Reads all revocations in pages, in the order in which the certificates expire. */
export async function readRevocations(
  db: Reader,
  holder: Holder,
  readAt: number,
  includeExpired: boolean,
): Promise<Revocations> {
  const digest = createHash('sha256')
  const ranges = await listRevokedRanges(db, includeExpired ? 0 : readAt)
  for (const { first, last } of ranges) digest.update(`${first}-${last} `)
  const start: ExpiryPosition = includeExpired
    ? { validBefore: 0, serial: 0n }
    : { validBefore: readAt, serial: LAST_SERIAL }
  const until = includeExpired ? Infinity : await firstExpiry(db, holder, start, ranges)
  const pages: Revoked[] = []
  for (let position = start; position !== END;) {
    const end = (await findPositionAfter(db, holder, position, PAGE)) ?? END
    const page = await listRevokedBetween(db, holder, position, end)
    digest.update(page.serials).update(page.revokedAt)
    pages.push(page)
    position = end
    await setImmediate()
  }
  return { ...(await join(pages)), ranges, until, digest: digest.digest('base64url') }
}

async function firstExpiry(db: Reader, holder: Holder, after: ExpiryPosition, ranges: RevokedRange[]): Promise<number> {
  const first = await findPositionAfter(db, holder, after, 1)
  return Math.min(first?.validBefore ?? Infinity, ...ranges.map(({ validBefore }) => validBefore))
}

/** Pages that are joined before other requests run. */
const JOINED_AT_ONCE = 100

/** In shared memory, so that the worker thread that writes the list needs no copy. */
async function join(pages: Revoked[]): Promise<Revoked> {
  const count = pages.reduce((sum, { serials }) => sum + serials.length, 0)
  const serials = new BigUint64Array(new SharedArrayBuffer(count * BigUint64Array.BYTES_PER_ELEMENT))
  const revokedAt = new Uint32Array(new SharedArrayBuffer(count * Uint32Array.BYTES_PER_ELEMENT))
  let at = 0
  for (const [index, page] of pages.entries()) {
    serials.set(page.serials, at)
    revokedAt.set(page.revokedAt, at)
    at += page.serials.length
    if (index % JOINED_AT_ONCE === 0) await setImmediate()
  }
  return { serials, revokedAt }
}
