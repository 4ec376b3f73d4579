import { hash, createHash } from 'node:crypto'
import { setImmediate } from 'node:timers/promises'
import type { Services } from '../../platform/services.ts'
import type { Reader } from '../../storage/database.ts'
import { LAST_SERIAL } from '../certificates/serial-store.ts'
import {
  findKrlVersion,
  findPositionAfter,
  listRevokedBetween,
  listRevokedRanges,
  type Holder,
  type ExpiryPosition,
  type Revoked,
  type RevokedRange,
} from './revocation-store.ts'
import { writeInThread, type Form } from './write-revocation-list.ts'

export interface RevocationList {
  body: Buffer
  /** The same on every replica, for the same list. Weak, because a KRL also says when it was built. */
  etag: string
  /** It has every revocation up to this version. */
  version: bigint
}

export type RevocationLists = (request: { form: Form; includeExpired: boolean }) => Promise<RevocationList>

/** The revocations as they were read, and the forms that were written of them since. */
interface View extends Revocations {
  version: bigint
  readAt: number
  lists: Map<string, Promise<RevocationList>>
}

/**
 * The revocation lists, kept in memory. Every request reads the version, which is one cheap query and grows with each
 * revocation on any replica. So a list is never older than the request, and there is none while the database can't be read.
 */
export function createRevocationLists(
  { db, now, metrics }: Pick<Services, 'db' | 'now' | 'metrics'>,
  holder: Holder,
  caKeys: () => Uint8Array[],
): RevocationLists {
  const views = new Map<boolean, View>()
  const reading = new Map<boolean, Promise<View>>()

  const currentVersion = async (): Promise<bigint> => {
    const version = await findKrlVersion(db.read, holder)
    if (version === undefined) throw new Error('The counter of the revocation list is gone.')
    return version
  }

  const read = async (includeExpired: boolean): Promise<View> => {
    const readAt = now()
    // The version comes first: what is revoked while the pages are read belongs to a later one, and is read again.
    const version = await currentVersion()
    const revocations = await readRevocations(db.read, holder, readAt, includeExpired)
    const digest = hash('sha256', `${version}:${revocations.digest}`, 'base64url')
    const view = { ...revocations, digest, version, readAt, lists: new Map() }
    views.set(includeExpired, view)
    return view
  }

  const readOnce = (includeExpired: boolean): Promise<View> => {
    const running = reading.get(includeExpired)
    if (running) return running
    const started = read(includeExpired).finally(() => reading.delete(includeExpired))
    reading.set(includeExpired, started)
    return started
  }

  const currentView = async (includeExpired: boolean): Promise<View> => {
    const version = await currentVersion()
    // A clock that was set back makes expired certificates valid again.
    const isCurrent = (view: View) => view.version >= version && view.readAt <= now() && now() < view.until
    // A running read may have begun before this request, and may then be too old. The one after it is not.
    const view = views.get(includeExpired)
    if (view && isCurrent(view)) return view
    const running = await reading.get(includeExpired)
    return running && isCurrent(running) ? running : readOnce(includeExpired)
  }

  return async ({ form, includeExpired }) => {
    const view = await currentView(includeExpired)
    const written = (bytes: number) => {
      if (form === 'krl' && !includeExpired && holder === 'user')
        metrics?.krlBuilt({ bytes, serials: view.serials.length })
    }
    const keys = caKeys()
    // A list that names other keys is another list.
    const scope = keys.length === 1 ? '' : `-${hash('sha256', Buffer.concat(keys), 'base64url').slice(0, 8)}`
    return writeOnce(view, { form, caKeys: keys, scope }, written)
  }
}

/** Concurrent requests for the same form share one write. A failed one is tried again by the next request. */
function writeOnce(
  view: View,
  { form, caKeys, scope }: { form: Form; caKeys: Uint8Array[]; scope: string },
  written: (bytes: number) => void,
): Promise<RevocationList> {
  const name = `${scope}-${form}`
  const known = view.lists.get(name)
  if (known) return known
  const { serials, revokedAt, ranges, version, readAt, digest } = view
  const body = writeInThread({ form, serials, revokedAt, ranges, version, readAt, caKeys })
  // Made once, so that all hosts that wait refer to the same tag.
  const list = body.then((bytes) => ({ body: bytes, etag: `W/"${digest.slice(0, 22)}${name}"`, version }))
  view.lists.set(name, list)
  body.then(
    ({ length }) => written(length),
    () => view.lists.delete(name),
  )
  return list
}

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
async function readRevocations(
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
