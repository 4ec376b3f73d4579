import { Worker } from 'node:worker_threads'
import { buildKrl } from '../../platform/openssh/krl.ts'
import type { Revoked, RevokedRange } from './revocation-store.ts'

/** `wildcard` is a KRL that names no authority, so that it revokes the serials of every one. */
export type Form = 'krl' | 'wildcard' | 'raw' | 'json'

/** Everything that a list is made of, in a form that can be sent to a worker thread. */
export interface ListContent extends Revoked {
  form: Form
  ranges: RevokedRange[]
  version: bigint
  readAt: number
  /** The blobs of the authority's public keys. */
  caKeys: Uint8Array[]
}

/** Writes a revocation list in one of its forms. */
export function writeRevocationList(content: ListContent): Buffer {
  const { form, serials, ranges, version, readAt, caKeys } = content
  if (form === 'raw') {
    // As ssh-keygen(1) reads it in a KRL specification.
    const lines = ranges.map(({ first, last }) => `serial: ${first}-${last}\n`)
    return writeText(content, lines.join(''), '', '', (serial) => `serial: ${serial}\n`)
  }
  if (form === 'json') {
    const entry = (serial: bigint, at: number) => `{"serial":"${serial}","revokedAt":${at}}`
    return writeText(content, '{"revoked":[', ',', `]${rangesAsJson(ranges)}}`, entry)
  }
  const generatedAt = Math.floor(readAt / 1000)
  return buildKrl({ serials, ranges, version, generatedAt, ...(form === 'wildcard' ? {} : { caKeys }) })
}

function rangesAsJson(ranges: RevokedRange[]): string {
  if (ranges.length === 0) return ''
  const entries = ranges.map(
    ({ first, last, revokedAt }) =>
      `{"firstSerial":"${first}","lastSerial":"${last}","revokedAt":${Math.floor(revokedAt / 1000)}}`,
  )
  return `,"revokedRanges":[${entries.join(',')}]`
}

/** Entries that are turned into bytes at once, so that no string holds all of them. */
const PART = 1 << 14

function writeText(
  { serials, revokedAt }: Revoked,
  opening: string,
  between: string,
  closing: string,
  entry: (serial: bigint, revokedAt: number) => string,
): Buffer {
  const parts: Buffer[] = [Buffer.from(opening)]
  let lines: string[] = []
  for (let at = 0; at < serials.length; at++) {
    lines.push(entry(serials[at]!, revokedAt[at]!))
    if (lines.length < PART && at + 1 < serials.length) continue
    parts.push(Buffer.from(lines.join(between) + (at + 1 < serials.length ? between : '')))
    lines = []
  }
  parts.push(Buffer.from(closing))
  return Buffer.concat(parts)
}

/** Writing this many serials takes a few milliseconds, which is less than starting a thread does. */
const MAX_WRITTEN_HERE = 10_000

/** Writes a long list in a worker thread, so that it does not block other requests. */
export const writeInThread = async (content: ListContent): Promise<Buffer> =>
  content.serials.length <= MAX_WRITTEN_HERE ? writeRevocationList(content) : startThread(content)

const startThread = (content: ListContent): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    const url = new URL('revocation-list-thread.ts', import.meta.url)
    const worker = new Worker(url, { workerData: content, execArgv: [] })
    // A service that is shutting down does not wait for a list.
    worker.unref()
    worker.on('message', ({ buffer }: Uint8Array) => resolve(Buffer.from(buffer)))
    worker.on('error', reject)
    // Has no effect after the answer.
    worker.on('exit', (code) => reject(new Error(`The thread that writes the revocation list ended (${code}).`)))
  })
