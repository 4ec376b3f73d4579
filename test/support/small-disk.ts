import { spawnSync } from 'node:child_process'
import { closeSync, fsyncSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'

/** A folder on a disk that a test can fill and free again while a service uses it. */
export interface SmallDisk {
  /** The path of the folder in the service. */
  folder: string
  /** The command prefix to start the service with. */
  within: string[]
  /** The command prefix for another program that sees the folder as the service does. */
  beside(pid: number): string[]
  /** The path of the folder in this process, once the service has started. */
  localPath(pid: number): string
  /** Makes the next write of the service fail. */
  fill(pid: number): void
  free(pid: number): void
}

const MEGABYTES = 24
const FILLER = 'filler'

/**
 * Mounts a small file system, on which writes fail with ENOSPC when it is full: in a user namespace where the system allows
 * that, else with sudo. Undefined if neither is possible.
 */
export function mountSmallDisk(t: TestContext): SmallDisk | undefined {
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-disk-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  const mount = `mount -t tmpfs -o size=${MEGABYTES}m,mode=700 tmpfs "$0"`
  const namespace = ['unshare', '--user', '--map-root-user', '--mount']
  const works = (command: string[]) => spawnSync(command[0] ?? '', command.slice(1)).status === 0
  const withPath = (localPath: SmallDisk['localPath']) => ({
    localPath,
    fill: (pid: number) => fillUp(join(localPath(pid), FILLER)),
    free: (pid: number) => rmSync(join(localPath(pid), FILLER), { force: true }),
  })
  if (works([...namespace, 'sh', '-c', mount, folder])) {
    const within = [...namespace, 'sh', '-c', `${mount} && exec "$@"`, folder]
    const beside = (pid: number) => ['nsenter', '--target', String(pid), '--user', '--mount', '--preserve-credentials']
    return { folder, within, beside, ...withPath((pid) => `/proc/${pid}/root${folder}`) }
  }
  const owner = `uid=${process.getuid?.()},gid=${process.getgid?.()}`
  if (works(['sudo', '-n', 'mount', '-t', 'tmpfs', '-o', `size=${MEGABYTES}m,mode=700,${owner}`, 'tmpfs', folder])) {
    t.after(() => void spawnSync('sudo', ['-n', 'umount', '-l', folder]))
    return { folder, within: [], beside: () => [], ...withPath(() => folder) }
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
 * Needs no privileges: limits the file size of the process, so that its writes fail with EFBIG. SQLite reports that as an I/O
 * error, so this simulates a failing disk.
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
    beside: () => [],
    localPath: () => folder,
    fill: (pid) => limit(pid, '1'),
    free: (pid) => limit(pid, 'unlimited'),
  }
}
