import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { gzipSync } from 'node:zlib'

/** A file or a symbolic link in an archive. */
export interface Entry {
  path: string
  content?: Buffer
  /** The target of a symbolic link. */
  link?: string
  mode?: number
}

const MAX_BYTES = 2 ** 30
const FOLDER_MODE = 0o755

/** Runs something in a temporary folder that contains the entries. */
export function withEntries<T>(entries: Entry[], work: (folder: string) => T): T {
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-release-'))
  const umask = process.umask(0o022)
  try {
    chmodSync(folder, FOLDER_MODE)
    for (const { path, content = '', link, mode = 0o644 } of entries) {
      const file = join(folder, path)
      mkdirSync(dirname(file), { recursive: true, mode: FOLDER_MODE })
      if (link === undefined) writeFileSync(file, content, { mode })
      else symlinkSync(link, file)
    }
    return work(folder)
  } finally {
    process.umask(umask)
    rmSync(folder, { recursive: true, force: true })
  }
}

/**
 * A tar archive by GNU tar. The same entries always make the same bytes: they are sorted, belong to root and have one time, in seconds
 * since 1970. Node writes no time and no name into the head of a gzip file.
 */
export const packTarGz = (entries: Entry[], time: number): Buffer =>
  withEntries(entries, (folder) => {
    const sameForAll = ['--format=ustar', '--sort=name', '--owner=root:0', '--group=root:0', `--mtime=@${time}`]
    const args = [...sameForAll, '-C', folder, '-c', ...readdirSync(folder).toSorted()]
    return gzipSync(execFileSync('tar', args, { maxBuffer: MAX_BYTES }), { level: 6 })
  })

/** The regular files of a tar archive, compressed or not. */
export const unpackTar = (archive: Buffer): Entry[] =>
  withEntries([], (folder) => {
    const isCompressed = archive.readUInt16BE() === 0x1f8b
    execFileSync(
      'tar',
      ['-x', ...(isCompressed ? ['-z'] : []), '--no-same-owner', '--same-permissions', '-C', folder],
      { input: archive },
    )
    return readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => join(parentPath, name))
      .map((file) => ({ path: relative(folder, file), content: readFileSync(file), mode: statSync(file).mode & 0o777 }))
  })
