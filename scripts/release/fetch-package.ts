import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import { type Entry, unpackTar } from './tar.ts'

const CACHE = 'node_modules/.cache/release'

interface Pinned {
  version: string
  integrity: string
}

const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8')) as { packages: Record<string, Pinned> }
const runtimes = JSON.parse(readFileSync('scripts/release/runtime.json', 'utf8')) as Record<string, Pinned>

/** What a version is and which bytes it has: from the lockfile, or from runtime.json for Node itself. */
export function pinOf(name: string): Pinned {
  const pinned = runtimes[name] ?? packages[`node_modules/${name}`]
  if (pinned?.integrity === undefined) throw new Error(`${name} is not pinned.`)
  return pinned
}

/** The files of a package, as the registry has it, for any platform. They must be the bytes that are pinned. */
export function fetchPackage(name: string): Entry[] {
  const { version, integrity } = pinOf(name)
  const file = join(CACHE, `${name.replace('@', '').replace('/', '-')}-${version}.tgz`)
  if (!existsSync(file)) {
    mkdirSync(CACHE, { recursive: true })
    const args = ['pack', '--silent', '--ignore-scripts', '--json', `--pack-destination=${CACHE}`, `${name}@${version}`]
    const packed = JSON.parse(execFileSync('npm', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] })) as
      | { filename: string }[]
      | Record<string, { filename: string }>
    const [made] = Object.values(packed)
    if (!made) throw new Error(`npm pack made no file of ${name}.`)
    if (join(CACHE, made.filename) !== file) renameSync(join(CACHE, made.filename), file)
  }
  const bytes = readFileSync(file)
  const digest = `sha512-${createHash('sha512').update(bytes).digest('base64')}`
  if (digest !== integrity) throw new Error(`${name}@${version} is not what is pinned: ${digest}`)
  // All paths begin with one folder, which is usually called package.
  return unpackTar(bytes).map((entry) => ({ ...entry, path: entry.path.replace(/^[^/]+\//, '') }))
}
