import { createHash } from 'node:crypto'
import { closeSync, fstatSync, openSync, readSync, statSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { gunzipSync, gzipSync } from 'node:zlib'
import { StartError } from '../../errors.ts'
import { isCode } from '../../storage/durable-files.ts'

/** 4,000 pages of 4 KB. More of them are stored as several parts. */
const PAGES_PER_PART = 4000

/** What a part says about itself, before its pages. */
interface PartHeader {
  format: 1
  pageSize: number
  pageCount: number
  /** Part 1 of 3 of one change. A change is whole when all of its parts are there. */
  part: number
  parts: number
  numbers: number[]
  sha256: string
}

/** Divides a change into parts of a bounded size: a line of JSON and the pages, compressed. */
export function* writeParts({ pageSize, pageCount, pages }: Changes): Generator<Buffer> {
  const numbers = [...pages.keys()].toSorted((one, other) => one - other)
  const parts = Math.max(1, Math.ceil(numbers.length / PAGES_PER_PART))
  for (let part = 1; part <= parts; part++) {
    const chosen = numbers.slice((part - 1) * PAGES_PER_PART, part * PAGES_PER_PART)
    const content = Buffer.concat(chosen.map((number) => pages.get(number) ?? Buffer.alloc(0)))
    const sha256 = createHash('sha256').update(content).digest('hex')
    const header: PartHeader = { format: 1, pageSize, pageCount, part, parts, numbers: chosen, sha256 }
    yield gzipSync(Buffer.concat([Buffer.from(`${JSON.stringify(header)}\n`), content]), { level: 1 })
  }
}

export function readPart(name: string, bytes: Buffer): Changes & { part: number; parts: number } {
  try {
    const whole = gunzipSync(bytes)
    const end = whole.indexOf('\n')
    const { numbers, sha256, ...header } = JSON.parse(whole.subarray(0, end).toString('utf8')) as PartHeader
    const content = whole.subarray(end + 1)
    if (createHash('sha256').update(content).digest('hex') !== sha256) throw new Error('wrong digest')
    const { pageSize } = header
    const pages = new Map(numbers.map((number, at) => [number, content.subarray(at * pageSize, (at + 1) * pageSize)]))
    return { ...header, pages }
  } catch (error) {
    throw new StartError(`The backup is damaged: ${name} can't be read (${(error as Error).message}).`)
  }
}

/** The pages of the database file that have changed since the last time, as they were at one moment. */
export interface Changes {
  pageSize: number
  /** The size of the whole database, in pages. */
  pageCount: number
  pages: Map<number, Buffer>
}

/** With the names of the migrations that were applied at that moment. */
export type ReadChanges = Changes & { migrations: string[] }

export interface ChangeReader {
  /** The first time that is all pages. Undefined when nothing was committed since. */
  read(): ReadChanges | undefined
  /** False when another file has taken the place of one that is open, as after a restore: what is open does not change any more. */
  isCurrent(): boolean
  close(): void
}

/** https://sqlite.org/walformat.html: the sizes of the headers of the log and of a frame in it. */
const LOG_HEADER = 32
const FRAME_HEADER = 24
const INDEX_HEADER = 48
const INITIALIZED = 12
const MAX_TRIES = 100

/** What the index of the log says: which log it is, its last committed frame, the size of the database. */
interface Position {
  salt: string
  frames: number
  pageCount: number
}

/**
 * Reads what was committed out of SQLite's log, in another process than the service, which does not wait. While a read
 * transaction is open, no page is moved into the database file that belongs to a later moment, and the log begins anew only if
 * all of it was moved before: a new log has another salt. Where it has begun anew since the last time, every page is compared with its
 * digest.
 *
 * Closing a descriptor of a file ends all locks that the process has on it (fcntl(2)). So the three files are closed after
 * SQLite has closed them. The database is opened before SQLite opens it: if another file takes its place in between, `isCurrent`
 * finds out.
 */
export function openChanges(file: string): ChangeReader {
  const descriptors = new Map<string, number>()
  let source: DatabaseSync | undefined
  try {
    const opened = (path: string): number => {
      const descriptor = openSync(path, 'r')
      descriptors.set(path, descriptor)
      return descriptor
    }
    const data = opened(file)
    source = new DatabaseSync(file, { readOnly: true, timeout: 5000 })
    // The log and its index are there once something was read.
    source.prepare('SELECT name FROM schema_migrations').all()
    return createReader(source, { data, log: opened(`${file}-wal`), index: opened(`${file}-shm`) }, descriptors)
  } catch (error) {
    closeAll(source, descriptors)
    throw error
  }
}

function closeAll(source: DatabaseSync | undefined, descriptors: Map<string, number>): void {
  source?.close()
  for (const descriptor of descriptors.values()) closeSync(descriptor)
}

function isThere([path, descriptor]: [string, number]): boolean {
  const { dev, ino } = fstatSync(descriptor)
  try {
    const there = statSync(path)
    return there.dev === dev && there.ino === ino
  } catch (error) {
    if (isCode(error, 'ENOENT')) return false
    throw error
  }
}

function createReader(
  source: DatabaseSync,
  descriptors: { data: number; log: number; index: number },
  opened: Map<string, number>,
): ChangeReader {
  const snapshot = source.prepare('SELECT name FROM schema_migrations ORDER BY name')
  const pageSize = Number(source.prepare('PRAGMA page_size').get()?.['page_size'])
  const digests = new Map<number, string>()
  let last: Position | undefined

  const bytes = (descriptor: number, position: number, length: number): Buffer => {
    const buffer = Buffer.alloc(length)
    return buffer.subarray(0, readSync(descriptor, buffer, 0, length, position))
  }

  const pagesInFile = (): number => fstatSync(descriptors.data).size / pageSize

  /**
   * The header is there twice. While they differ the service is writing it. The size that it gives is that of the last commit in the
   * log, and 0 in a log that was never written to: an empty log leaves the size to the file, as it does for SQLite itself.
   */
  const position = (): Position => {
    for (let tries = 0; tries < MAX_TRIES; tries++) {
      const header = bytes(descriptors.index, 0, 2 * INDEX_HEADER)
      const [one, other] = [header.subarray(0, INDEX_HEADER), header.subarray(INDEX_HEADER)]
      if (!one.equals(other) || one[INITIALIZED] !== 1) continue
      // Both processes are on one machine, so the numbers are in its own byte order, which is little-endian on x64 and arm64.
      const frames = one.readUInt32LE(16)
      return {
        salt: one.subarray(32, 40).toString('hex'),
        frames,
        pageCount: frames === 0 ? pagesInFile() : one.readUInt32LE(20),
      }
    }
    throw new Error('The index of the log changes faster than it can be read.')
  }

  /** The newest version of each page in a range of frames. */
  const readFrames = (after: number, until: number, salt: string): Map<number, Buffer> | undefined => {
    const pages = new Map<number, Buffer>()
    for (let frame = after; frame < until; frame++) {
      const found = bytes(descriptors.log, LOG_HEADER + frame * (FRAME_HEADER + pageSize), FRAME_HEADER + pageSize)
      if (found.length < FRAME_HEADER + pageSize || found.subarray(8, 16).toString('hex') !== salt) return undefined
      pages.set(found.readUInt32BE(0), found.subarray(FRAME_HEADER))
    }
    return pages
  }

  const readWhole = (now: Position): Map<number, Buffer> | undefined => {
    const inLog = readFrames(0, now.frames, now.salt)
    if (!inLog) return undefined
    const pages = new Map<number, Buffer>()
    for (let number = 1; number <= now.pageCount; number++) {
      const content = inLog.get(number) ?? bytes(descriptors.data, (number - 1) * pageSize, pageSize)
      if (content.length === pageSize && digests.get(number) !== digest(content)) pages.set(number, content)
    }
    return pages
  }

  const tryOnce = (): { changes: Changes | undefined } | undefined => {
    const now = position()
    const isSameLog = last?.salt === now.salt
    if (last && isSameLog && last.frames === now.frames) return { changes: undefined }
    const pages = last && isSameLog ? readFrames(last.frames, now.frames, now.salt) : readWhole(now)
    // The log began anew meanwhile.
    if (!pages || position().salt !== now.salt) return undefined
    for (const number of pages.keys()) if (number > now.pageCount) pages.delete(number)
    for (let number = now.pageCount + 1; number <= (last?.pageCount ?? 0); number++) digests.delete(number)
    for (const [number, content] of pages) digests.set(number, digest(content))
    last = now
    return { changes: { pageSize, pageCount: now.pageCount, pages } }
  }

  return {
    read() {
      for (let tries = 0; tries < MAX_TRIES; tries++) {
        source.exec('BEGIN')
        try {
          const migrations = snapshot.all().map(({ name }) => String(name))
          const found = tryOnce()
          if (found) return found.changes && { ...found.changes, migrations }
        } finally {
          source.exec('ROLLBACK')
        }
      }
      throw new Error('The database changes faster than it can be read.')
    },
    isCurrent: () => [...opened].every(isThere),
    close: () => closeAll(source, opened),
  }
}

const digest = (content: Buffer): string => createHash('sha1').update(content).digest('base64').slice(0, 16)
