import { spawnSync } from 'node:child_process'
import { closeSync, fsyncSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'

/** A folder on a disk that a test can fill up and free again while a service works in it. */
export interface SmallDisk {
  /** How the service calls it. */
  folder: string
  /** The command that the service is to be started with, in front of its own. */
  within: string[]
  /** How this process calls it, once the service has started. */
  seenHere(pid: number): string
  /** Takes what is left, or as much as makes the next write fail. */
  fill(pid: number): void
  free(pid: number): void
}

const MEGABYTES = 24
const FILLER = 'filler'

/**
 * A file system of its own, which is really full when it is: ENOSPC. Whoever may not mount one outright may do so in a
 * namespace of their own, where the system allows that. Undefined where neither is possible.
 */
export function mountSmallDisk(t: TestContext): SmallDisk | undefined {
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-disk-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  const mount = `mount -t tmpfs -o size=${MEGABYTES}m,mode=700 tmpfs "$0"`
  const namespace = ['unshare', '--user', '--map-root-user', '--mount']
  const works = (command: string[]) => spawnSync(command[0] ?? '', command.slice(1)).status === 0
  const filled = (seenHere: SmallDisk['seenHere']) => ({
    seenHere,
    fill: (pid: number) => fillUp(join(seenHere(pid), FILLER)),
    free: (pid: number) => rmSync(join(seenHere(pid), FILLER), { force: true }),
  })
  if (works([...namespace, 'sh', '-c', mount, folder])) {
    const within = [...namespace, 'sh', '-c', `${mount} && exec "$@"`, folder]
    return { folder, within, ...filled((pid) => `/proc/${pid}/root${folder}`) }
  }
  const owner = `uid=${process.getuid?.()},gid=${process.getgid?.()}`
  if (works(['sudo', '-n', 'mount', '-t', 'tmpfs', '-o', `size=${MEGABYTES}m,mode=700,${owner}`, 'tmpfs', folder])) {
    t.after(() => void spawnSync('sudo', ['-n', 'umount', '-l', folder]))
    return { folder, within: [], ...filled(() => folder) }
  }
  return undefined
}

function fillUp(file: string): void {
  const filler = openSync(file, 'a')
  try {
    for (let size = 1 << 20; size >= 1; size >>= 1) writeWhilePossible(filler, Buffer.alloc(size))
    fsyncSync(filler)
  } finally {
    closeSync(filler)
  }
}

function writeWhilePossible(filler: number, bytes: Buffer): void {
  try {
    for (;;) if (writeSync(filler, bytes) < bytes.length) return
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error
  }
}

/**
 * The next best thing, which needs no rights: no file of the process may grow beyond a limit, so that its writes fail with
 * EFBIG. SQLite calls that an I/O error, so this is also the test of a disk that fails.
 */
export function limitFileSize(t: TestContext): SmallDisk {
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-limit-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  const limit = (pid: number, bytes: string) => {
    const { status, stderr } = spawnSync('prlimit', ['--pid', String(pid), `--fsize=${bytes}:`])
    if (status !== 0) throw new Error(`prlimit: ${String(stderr)}`)
  }
  return {
    folder,
    within: [],
    seenHere: () => folder,
    fill: (pid) => limit(pid, '1'),
    free: (pid) => limit(pid, 'unlimited'),
  }
}
