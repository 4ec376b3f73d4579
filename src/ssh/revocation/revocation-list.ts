import { createHash } from 'node:crypto'
import { setImmediate } from 'node:timers/promises'
import type { Services } from '../../services.ts'
import { LAST_SERIAL } from '../certificates/serial-store.ts'
import {
  findKrlVersion,
  findPlaceAfter,
  listRevokedBetween,
  listRevokedRanges,
  type Place,
  type Revoked,
  type RevokedRange,
} from './revocation-store.ts'
import { writeInThread } from './write-in-thread.ts'
import type { Form } from './write-revocation-list.ts'

export interface RevocationList {
  body: Buffer
  /** The same on every replica, for the same list. Weak, because a KRL also says when it was built. */
  etag: string
}

export type RevocationLists = (request: { form: Form; includeExpired: boolean }) => Promise<RevocationList>

/** The revocations as they were read, and the forms that were written of them since. */
interface View extends Revoked {
  ranges: RevokedRange[]
  version: bigint
  readAt: number
  /** When the first certificate of the list expires, and the list becomes another one. */
  until: number
  digest: string
  bodies: Map<Form, Promise<Buffer>>
}

/** Reading this many takes a few milliseconds. SQLite runs on this thread, so other requests wait for that long. */
const PAGE = 1024

/** After all certificates. */
const END: Place = { validBefore: Number.MAX_SAFE_INTEGER, serial: LAST_SERIAL }

/**
 * The revocation lists, kept in memory. Every request reads the version, which is one cheap query and grows with each
 * revocation on any replica. So a list is never older than the request, and there is none while the database can't be read.
 */
export function createRevocationLists({
  db,
  now,
  metrics,
  sshCa,
}: Pick<Services, 'db' | 'now' | 'metrics' | 'sshCa'>): RevocationLists {
  const views = new Map<boolean, View>()
  const reading = new Map<boolean, Promise<View>>()

  const currentVersion = async (): Promise<bigint> => {
    const version = await findKrlVersion(db.read)
    if (version === undefined) throw new Error('The counter krl_version is gone.')
    return version
  }

  const read = async (includeExpired: boolean): Promise<View> => {
    const readAt = now()
    // The version comes first: what is revoked while the pages are read belongs to a later one, and is read again.
    const version = await currentVersion()
    const pages: Revoked[] = []
    const digest = createHash('sha256').update(`${version}:`)
    let place: Place = includeExpired ? { validBefore: 0, serial: 0n } : { validBefore: readAt, serial: LAST_SERIAL }
    const ranges = await listRevokedRanges(db.read, includeExpired ? 0 : readAt)
    for (const { first, last } of ranges) digest.update(`${first}-${last} `)
    let until = includeExpired ? Infinity : Math.min(Infinity, ...ranges.map(({ validBefore }) => validBefore))
    if (!includeExpired) until = Math.min(until, (await findPlaceAfter(db.read, place, 1))?.validBefore ?? Infinity)
    while (place !== END) {
      const end: Place = (await findPlaceAfter(db.read, place, PAGE)) ?? END
      const page = await listRevokedBetween(db.read, place, end)
      digest.update(page.serials).update(page.revokedAt)
      pages.push(page)
      place = end
      await setImmediate()
    }
    const view = {
      ...(await join(pages)),
      ranges,
      version,
      readAt,
      until,
      digest: digest.digest('base64url'),
      bodies: new Map(),
    }
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
    // A read that is under way may have begun before this request, and may then be too old; the one after it is not.
    const view = views.get(includeExpired)
    if (view && isCurrent(view)) return view
    const running = await reading.get(includeExpired)
    return running && isCurrent(running) ? running : readOnce(includeExpired)
  }

  return async ({ form, includeExpired }) => {
    const view = await currentView(includeExpired)
    let body = view.bodies.get(form)
    if (!body) {
      const { serials, revokedAt, ranges, version, readAt } = view
      body = writeInThread({ form, serials, revokedAt, ranges, version, readAt, caKey: sshCa.blob })
      view.bodies.set(form, body)
      body.then(
        ({ length }) => {
          if (form === 'krl' && !includeExpired) metrics?.krlBuilt({ bytes: length, serials: view.serials.length })
        },
        () => view.bodies.delete(form),
      )
    }
    return { body: await body, etag: `W/"${view.digest.slice(0, 22)}-${form}"` }
  }
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
