import { createHash } from 'node:crypto'
import { setImmediate } from 'node:timers/promises'
import type { Authority } from '../openssh/certificate.ts'
import { buildKrl } from '../openssh/krl.ts'
import { inSlices, SLICE, type Sliced } from '../openssh/slices.ts'
import type { Services } from '../services.ts'
import { LAST_SERIAL } from './certificate-store.ts'
import {
  findKrlVersion,
  findPlaceAfter,
  listRevokedBetween,
  listRevokedRanges,
  type Place,
  type Revoked,
  type RevokedRange,
} from './revocation-store.ts'

/** `wildcard` is a KRL that names no authority, so that it revokes the serials of every one. */
export type Form = 'krl' | 'wildcard' | 'raw' | 'json'

export interface RevocationList {
  body: Buffer
  /** The same on every copy, for the same list. Weak, because a KRL also says when it was built. */
  etag: string
}

export type RevocationLists = (asked: { form: Form; includeExpired: boolean }) => Promise<RevocationList>

/** The revocations as they were read, and the forms that were asked for since. */
interface View extends Revoked {
  ranges: RevokedRange[]
  version: bigint
  readAt: number
  /** When the first certificate of the list expires, and the list becomes another one. */
  until: number
  digest: string
  bodies: Map<Form, Promise<Buffer>>
}

/** A few milliseconds of reading, so that SQLite, which answers on this thread, lets others have their turn. */
const PAGE = 2048

/** Behind everything. */
const END: Place = { validBefore: Number.MAX_SAFE_INTEGER, serial: LAST_SERIAL }

/**
 * The revocation lists, kept in memory. Every asking reads the version, which is one cheap query and grows with each
 * revocation on any copy: the answer is never older than the question, and there is none when the database has none.
 */
export function createRevocationLists({
  db,
  now,
  metrics,
  sshCa,
}: Pick<Services, 'db' | 'now' | 'metrics' | 'sshCa'>): RevocationLists {
  const views = new Map<boolean, View>()
  const reading = new Map<boolean, Promise<View>>()

  const read = async (includeExpired: boolean): Promise<View> => {
    const readAt = now()
    // The version comes first: what is revoked while the pages are read belongs to a later one, and is read again.
    const version = await findKrlVersion(db.read)
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
    const revoked = await inSlices(join(pages))
    const view = { ...revoked, ranges, version, readAt, until, digest: digest.digest('base64url'), bodies: new Map() }
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
    const version = await findKrlVersion(db.read)
    // A clock that was set back makes expired certificates valid again.
    const isCurrent = (view: View) => view.version >= version && view.readAt <= now() && now() < view.until
    // A reading that is under way may have begun before we asked; the one after it has not.
    const view = views.get(includeExpired)
    if (view && isCurrent(view)) return view
    const running = await reading.get(includeExpired)
    return running && isCurrent(running) ? running : readOnce(includeExpired)
  }

  return async ({ form, includeExpired }) => {
    const view = await currentView(includeExpired)
    let body = view.bodies.get(form)
    if (!body) {
      body = write(view, form, sshCa)
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

function* join(pages: Revoked[]): Sliced<Revoked> {
  const count = pages.reduce((sum, { serials }) => sum + serials.length, 0)
  const serials = new BigUint64Array(count)
  const revokedAt = new Uint32Array(count)
  let at = 0
  for (const page of pages) {
    serials.set(page.serials, at)
    revokedAt.set(page.revokedAt, at)
    at += page.serials.length
    yield
  }
  return { serials, revokedAt }
}

function write(view: View, form: Form, { blob }: Authority): Promise<Buffer> {
  const { serials, ranges, version, readAt } = view
  if (form === 'raw') {
    // As ssh-keygen(1) reads it in a KRL specification.
    const lines = ranges.map(({ first, last }) => `serial: ${first}-${last}\n`)
    return inSlices(writeText(view, lines.join(''), '', '', (serial) => `serial: ${serial}\n`))
  }
  if (form === 'json') {
    const entry = (serial: bigint, at: number) => `{"serial":"${serial}","revokedAt":${at}}`
    return inSlices(writeText(view, '{"revoked":[', ',', `]${rangesAsJson(ranges)}}`, entry))
  }
  const generatedAt = Math.floor(readAt / 1000)
  return buildKrl({ serials, ranges, version, generatedAt, ...(form === 'wildcard' ? {} : { caKey: blob }) })
}

function rangesAsJson(ranges: RevokedRange[]): string {
  if (ranges.length === 0) return ''
  const entries = ranges.map(
    ({ first, last, revokedAt }) =>
      `{"firstSerial":"${first}","lastSerial":"${last}","revokedAt":${Math.floor(revokedAt / 1000)}}`,
  )
  return `,"revokedRanges":[${entries.join(',')}]`
}

function* writeText(
  { serials, revokedAt }: View,
  opening: string,
  between: string,
  closing: string,
  entry: (serial: bigint, revokedAt: number) => string,
): Sliced<Buffer> {
  const parts: Buffer[] = [Buffer.from(opening)]
  let lines: string[] = []
  for (let at = 0; at < serials.length; at++) {
    lines.push(entry(serials[at]!, revokedAt[at]!))
    if (lines.length < SLICE && at + 1 < serials.length) continue
    parts.push(Buffer.from(lines.join(between) + (at + 1 < serials.length ? between : '')))
    lines = []
    yield
  }
  parts.push(Buffer.from(closing))
  return Buffer.concat(parts)
}
