import { promisify } from 'node:util'
import { gzip } from 'node:zlib'

/** A file, a folder (its path ends in a slash) or a symbolic link in an archive. */
export interface Entry {
  path: string
  content?: Buffer
  /** The target of a symbolic link. */
  link?: string
  mode?: number
}

const BLOCK = 512
const LEVEL = 6

/**
 * A tar archive in the format of POSIX.1-1988 (ustar). The same entries always make the same bytes: they are sorted, belong to root and have
 * one time, in seconds since 1970.
 */
export function packTar(entries: Entry[], time: number): Buffer {
  const parts: Buffer[] = []
  for (const entry of [...withFolders(entries)].toSorted((one, other) => (one.path < other.path ? -1 : 1))) {
    const content = entry.content ?? Buffer.alloc(0)
    parts.push(headerOf(entry, content.length, time), content)
    if (content.length % BLOCK > 0) parts.push(Buffer.alloc(BLOCK - (content.length % BLOCK)))
  }
  return Buffer.concat([...parts, Buffer.alloc(2 * BLOCK)])
}

/** Node writes no time and no name into the head of a gzip file, so that this is reproducible too. */
export const packTarGz = (entries: Entry[], time: number): Promise<Buffer> =>
  promisify<Buffer, { level: number }, Buffer>(gzip)(packTar(entries, time), { level: LEVEL })

function* withFolders(entries: Entry[]): Generator<Entry> {
  const folders = new Set<string>()
  for (const entry of entries) {
    const names = entry.path.replace(/\/$/, '').split('/')
    for (let length = 1; length < names.length; length++) folders.add(`${names.slice(0, length).join('/')}/`)
    if (entry.path.endsWith('/')) folders.delete(entry.path)
    yield entry
  }
  const given = new Set(entries.map(({ path }) => path))
  for (const path of folders) if (!given.has(path)) yield { path }
}

function headerOf({ path, link, mode }: Entry, size: number, time: number): Buffer {
  const isFolder = path.endsWith('/')
  const header = Buffer.alloc(BLOCK)
  const [prefix, name] = splitPath(path)
  header.write(name, 0, 100)
  const octal = (value: number, at: number, length: number) =>
    header.write(`${value.toString(8).padStart(length - 1, '0')}\0`, at, length, 'latin1')
  octal(mode ?? (isFolder || link !== undefined ? 0o755 : 0o644), 100, 8)
  octal(0, 108, 8)
  octal(0, 116, 8)
  octal(size, 124, 12)
  octal(time, 136, 12)
  header.write('        ', 148, 8, 'latin1')
  header.write(isFolder ? '5' : link === undefined ? '0' : '2', 156, 1, 'latin1')
  header.write(link ?? '', 157, 100)
  header.write('ustar\x0000', 257, 8, 'latin1')
  header.write('root', 265, 32)
  header.write('root', 297, 32)
  header.write(prefix, 345, 155)
  octal(
    header.reduce((sum, byte) => sum + byte, 0),
    148,
    7,
  )
  return header
}

/** A path of more than 100 characters is divided at a slash. */
function splitPath(path: string): [prefix: string, name: string] {
  if (Buffer.byteLength(path) <= 100) return ['', path]
  for (let at = path.indexOf('/'); at > 0; at = path.indexOf('/', at + 1)) {
    const [prefix, name] = [path.slice(0, at), path.slice(at + 1)]
    if (prefix.length <= 155 && name.length > 0 && Buffer.byteLength(name) <= 100) return [prefix, name]
  }
  throw new Error(`This path is too long for an archive: ${path}`)
}

/** The regular files of a tar archive, as npm packages have them. */
export function unpackTar(archive: Buffer): Entry[] {
  const entries: Entry[] = []
  let longPath: string | undefined
  for (let at = 0; at + BLOCK <= archive.length && archive[at] !== 0;) {
    const text = (from: number, length: number) =>
      archive
        .subarray(at + from, at + from + length)
        .toString('utf8')
        .replace(/\0.*$/s, '')
    const size = Number.parseInt(text(124, 12), 8)
    const type = text(156, 1)
    const content = archive.subarray(at + BLOCK, at + BLOCK + size)
    const path = longPath ?? [text(345, 155), text(0, 100)].filter(Boolean).join('/')
    longPath = undefined
    if (type === '0' || type === '') entries.push({ path, content, mode: Number.parseInt(text(100, 8), 8) })
    // POSIX.1-2001 (pax): the path of the next entry, where it is long.
    else if (type === 'x') longPath = /^\d+ path=(.*)$/m.exec(content.toString('utf8'))?.[1]
    at += BLOCK + Math.ceil(size / BLOCK) * BLOCK
  }
  return entries
}
