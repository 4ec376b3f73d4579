import { globSync, mkdirSync, statSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { BROWSER_TESTS_NEED_LINUX, leavesOutLinux } from './needs-linux.ts'

/** Their files start services in separate processes and mostly wait for them, so each file has a process of its own. */
const WAITING = new Set(['operations/cli', 'faults', 'load', 'process', 'release', 'third-party'])

/** They need what only Linux has: namespaces, /proc, and programs as Debian installs them. */
const NEEDS_LINUX = new Set([
  'deploy',
  'faults',
  'interop',
  'load',
  'operations/cli',
  'process',
  'release',
  'third-party',
])

/** What a process is called, and the test files that run in it. */
type Group = [name: string, files: string[]]

/** They take long, or need programs that `npm ci` does not install. */
const NOT_QUICK = new Set([...WAITING, ...NEEDS_LINUX, 'fuzz'])

/** They start hosts and wait for them. All in one process would take longer than everything else. */
const KIND_OF_INTEROP = /^test\/interop\/(ssh-client|ssh-host-accounts|ssh-host|ssh-session)/

/** Areas of several folders. Together they would be one long process. */
const DIVIDED = new Set(['platform', 'identity', 'operations'])

/** Up to this many bytes of tests, folders share a process: loading the service takes two seconds of processor time in each. */
const SHARED_BYTES = 130_000

/** On another system those are left out that need Linux, with one line; never in CI, where they fail. */
function testFiles(): string[] {
  const all = globSync('test/**/*.test.ts')
  if (!leavesOutLinux) return all
  const left = [...NEEDS_LINUX].map((folder) => `test/${folder}`)
  process.stdout.write(`Left out, because it needs Linux: ${[...left, ...BROWSER_TESTS_NEED_LINUX].join(', ')}\n`)
  return all.filter((file) => !NEEDS_LINUX.has(folderOf(file)))
}

/** Those of a run of two minutes. */
export const quickTestFiles = (): string[] =>
  globSync('test/**/*.test.ts').filter((file) => !NOT_QUICK.has(folderOf(file)))

/** The files to run, each of which imports the test files of one process. */
export interface TestGroups {
  /** What they need is processor time. */
  computing: string[]
  /** They start services, hosts and other programs, and mostly wait for them. */
  waiting: string[]
}

/**
 * Lets the test files of one folder of `test/`, or of several small ones, run in one process, because loading the service takes
 * longer than the tests of most files. The runner takes them in the order of their names: the largest are first, so that no long one is left for the end.
 */
export function groupTests(into: string, files = testFiles()): TestGroups {
  const bySize = sharing([...Map.groupBy(files.toSorted(), processOf)]).toSorted(
    ([, one], [, other]) => totalSize(other) - totalSize(one),
  )
  mkdirSync(into)
  const groups: TestGroups = { computing: [], waiting: [] }
  for (const [at, [name, members]] of bySize.entries()) {
    const path = join(into, `${String(at).padStart(3, '0')}-${name}.test.mjs`)
    const imports = members.map((file) => `await import(${JSON.stringify(pathToFileURL(resolve(file)).href)})\n`)
    writeFileSync(path, imports.join(''))
    groups[startsPrograms(members) ? 'waiting' : 'computing'].push(path)
  }
  return groups
}

const startsPrograms = (files: string[]): boolean => files.some((file) => NEEDS_LINUX.has(folderOf(file)))

/** What the process is called that runs the tests of this file. */
function processOf(file: string): string {
  const folder = folderOf(file)
  if (WAITING.has(folder)) return file.replace('.test.ts', '').replaceAll('/', '-')
  return KIND_OF_INTEROP.exec(file)?.[1] ?? folder.replace('/', '-')
}

/** Puts small groups into one process where none of them waits or starts hosts. */
function sharing(groups: Group[]): Group[] {
  const shared: Group[] = []
  const alone: Group[] = []
  for (const [name, files] of groups) {
    const last = shared.at(-1)
    if (startsPrograms(files)) alone.push([name, files])
    else if (last && totalSize([...last[1], ...files]) <= SHARED_BYTES)
      shared.splice(-1, 1, [`${last[0]}+${name}`, [...last[1], ...files]])
    else shared.push([name, files])
  }
  return [...shared, ...alone]
}

/** The folder below `test/`, and in the areas that have many the one below that. */
function folderOf(file: string): string {
  const [, area = '', folder = ''] = file.split('/')
  return DIVIDED.has(area) && !folder.endsWith('.ts') ? `${area}/${folder}` : area
}

const totalSize = (files: string[]): number => files.reduce((sum, file) => sum + statSync(file).size, 0)
