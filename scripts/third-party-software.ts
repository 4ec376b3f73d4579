// Fetches the software of other projects that the tests in test/third-party run. Nothing is installed on the machine: packages are
// unpacked into a folder of the cache and run from there.
import { createHash } from 'node:crypto'
import {
  copyFileSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { join, resolve } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { run } from './run.ts'

const CACHE = resolve('node_modules/.cache/third-party')

/** Exact versions with their hashes are in the lockfile of this folder. */
const NPM_FILES = resolve('test/third-party/npm')

/**
 * These have the version of the distribution that the tests run on, because its archive has no other one. apt checks them against the
 * signed index of that archive.
 */
const DEBIAN_PACKAGES = [
  'apache2-bin',
  'dovecot-imapd',
  'haproxy',
  'libapache2-mod-auth-openidc',
  'libapache2-mod-oauth2',
  'python3-authlib',
  'python3-cryptography',
  'python3-flask',
  'python3-jwt',
  'python3-requests',
]

/** The compiler, and a library that the documents use. Apart from the others, because they are large and one test file needs them. */
const GO_PACKAGES = ['golang-go', 'golang-github-coreos-go-oidc-dev']

/** What a host with sshd and PAM consists of, in releases of Debian that have another OpenSSH than the one of the machine. */
const HOST_PACKAGES = [
  'base-files',
  'base-passwd',
  'bash',
  'coreutils',
  'dash',
  'findutils',
  'grep',
  'hostname',
  'libc-bin',
  'login',
  'libpam-modules',
  'libpam-runtime',
  'mawk',
  'openssh-server',
  'passwd',
  'procps',
  'sed',
  'tmux',
  'util-linux',
]

const SOURCES = ['npm', 'debian', 'go', 'bullseye', 'trixie'] as const
export type Source = (typeof SOURCES)[number]

/** The folder that contains the software, or why it could not be fetched. */
export type Fetched = { folder: string; missing?: never } | { folder?: never; missing: string }

const FETCH: Record<Source, () => Promise<Fetched>> = {
  npm: fetchNpm,
  debian: () => fetchDebian('debian', DEBIAN_PACKAGES),
  // Its packages depend on systemd, which nothing here runs.
  go: () => fetchDebian('go', GO_PACKAGES, /^golang-/),
  bullseye: () => fetchRelease('bullseye'),
  trixie: () => fetchRelease('trixie'),
}

/** Where `fetchAllSoftware` says what became of each source, for the test processes that run meanwhile. */
const RESULTS = 'LATCHKEY_TEST_SOFTWARE'
const POLL_MS = 200

/** Fetches the software, or waits for it where `fetchAllSoftware` runs in another process. */
export async function fetchSoftware(source: Source): Promise<Fetched> {
  const results = process.env[RESULTS]
  if (results === undefined) return FETCH[source]()
  const file = resultFile(results, source)
  while (!existsSync(file)) await setTimeout(POLL_MS)
  return JSON.parse(readFileSync(file, 'utf8')) as Fetched
}

/** Fetches everything, one source after the other: apt has one lock. Processes that are started after this call wait for what they need. */
export async function fetchAllSoftware(into: string): Promise<void> {
  mkdirSync(into)
  process.env[RESULTS] = into
  for (const source of SOURCES) {
    const fetched = await FETCH[source]().catch((error: unknown): Fetched => ({
      missing: missing(String(error), source),
    }))
    if (fetched.missing !== undefined) process.stdout.write(`${fetched.missing}\n`)
    const file = resultFile(into, source)
    writeFileSync(`${file}.new`, JSON.stringify(fetched))
    renameSync(`${file}.new`, file)
  }
}

const resultFile = (folder: string, source: Source): string => join(folder, `${source}.json`)

async function fetchNpm(): Promise<Fetched> {
  const lockfile = readFileSync(join(NPM_FILES, 'package-lock.json'), 'utf8')
  return unpackOnce(`npm-${digest(lockfile)}`, async (folder) => {
    for (const file of ['package.json', 'package-lock.json', '.npmrc']) {
      copyFileSync(join(NPM_FILES, file), join(folder, file))
    }
    return attempt('npm', ['ci', '--prefix', folder, '--ignore-scripts', '--fetch-retries=0'])
  })
}

async function fetchDebian(source: Source, packages: string[], only = /^/): Promise<Fetched> {
  const files = (await listDebianFiles(packages, only)) ?? (await listAfterUpdate(packages, only))
  if (files === undefined) return { missing: missing('apt-get does not know these packages', source) }
  return unpackOnce(`${source}-${digest(files.join('\n'))}`, async (folder) => {
    const names = files.map((file) => file.split('_')[0] ?? '')
    // It downloads into its working folder.
    const download = ['--chdir', folder, 'apt-get', 'download', '-qq', ...names]
    let problem = await attempt('env', download)
    for (const file of files) problem ??= await attempt('dpkg-deb', ['-x', join(folder, file), folder])
    return problem
  })
}

/** The files of another release of Debian. apt checks them by its signed index, with lists of its own. */
async function fetchRelease(release: Source): Promise<Fetched> {
  const keys = '/usr/share/keyrings/debian-archive-keyring.gpg'
  if (process.getuid?.() !== 0 || !existsSync('/usr/bin/apt-get') || !existsSync(keys)) {
    return { missing: missing('only root on Debian can get another release of it', release) }
  }
  return unpackOnce(`${release}-${digest(HOST_PACKAGES.join('\n'))}`, async (folder) => {
    const apt = join(folder, 'apt')
    for (const path of ['lists/partial', 'archives/partial']) mkdirSync(join(apt, path), { recursive: true })
    writeFileSync(join(apt, 'status'), '')
    writeFileSync(join(apt, 'sources.list'), `deb [signed-by=${keys}] http://deb.debian.org/debian ${release} main\n`)
    const options = [
      `Dir::State=${apt}`,
      `Dir::State::Lists=${apt}/lists`,
      `Dir::State::status=${apt}/status`,
      `Dir::Cache=${apt}`,
      `Dir::Etc::SourceList=${apt}/sources.list`,
      'Dir::Etc::SourceParts=/dev/null',
      'Dir::Etc::PreferencesParts=/dev/null',
      'Acquire::Languages=none',
      // The folder belongs to root.
      'APT::Sandbox::User=root',
    ].flatMap((each) => ['-o', each])
    let problem = await attempt('apt-get', [...options, 'update', '-qq'])
    if (problem !== undefined) return problem
    const plan = await run('apt-get', [...options, 'install', '-s', '--no-install-recommends', ...HOST_PACKAGES], {
      quiet: true,
    })
    const names = [...plan.output.matchAll(/^Inst (\S+)/gm)].map(([, name = '']) => name)
    if (names.length === 0) return 'apt-get does not know these packages'
    problem = await attempt('env', ['--chdir', apt, 'apt-get', ...options, 'download', '-qq', ...names])
    const files = globSync('*.deb', { cwd: apt })
    // That package has the links from /bin to /usr/bin, which must be there before anything is put into them.
    const inOrder = files.toSorted(
      (one, other) => Number(other.startsWith('base-files_')) - Number(one.startsWith('base-files_')),
    )
    for (const file of inOrder) problem ??= await attempt('dpkg-deb', ['-x', join(apt, file), join(folder, 'root')])
    rmSync(apt, { recursive: true })
    return problem
  })
}

/** The file names, with versions, of the packages and of those that they depend on and that the machine lacks. */
async function listDebianFiles(packages: string[], only: RegExp): Promise<string[] | undefined> {
  if (!existsSync('/usr/bin/apt-get')) return undefined
  const plan = await run('apt-get', ['install', '-s', '--no-install-recommends', ...packages], { quiet: true })
  const needed = [...plan.output.matchAll(/^Inst (\S+)/gm)]
    .map(([, name = '']) => name)
    .filter((name) => only.test(name))
  const names = [...new Set([...packages, ...needed])]
  const { code, output } = await run('apt-get', ['download', '--print-uris', ...names], { quiet: true })
  if (plan.code !== 0 || code !== 0) return undefined
  return [...output.matchAll(/^'\S+' (\S+\.deb) /gm)].map(([, file = '']) => file).toSorted()
}

async function listAfterUpdate(packages: string[], only: RegExp): Promise<string[] | undefined> {
  if (process.getuid?.() !== 0 || !existsSync('/usr/bin/apt-get')) return undefined
  await run('apt-get', ['update', '-qq'], { quiet: true })
  return listDebianFiles(packages, only)
}

/** Test processes run side by side, so a folder gets its name only when it is complete. */
async function unpackOnce(name: string, unpack: (folder: string) => Promise<string | undefined>): Promise<Fetched> {
  const folder = join(CACHE, name)
  if (existsSync(folder)) return { folder }
  mkdirSync(CACHE, { recursive: true })
  const incomplete = mkdtempSync(join(CACHE, 'incomplete-'))
  try {
    const problem = await unpack(incomplete)
    if (problem !== undefined) return { missing: missing(problem, name.split('-')[0] ?? '') }
    if (!existsSync(folder)) renameSync(incomplete, folder)
    return { folder }
  } catch (error) {
    if (existsSync(folder)) return { folder }
    throw error
  } finally {
    rmSync(incomplete, { recursive: true, force: true })
  }
}

/** Runs a program, and says in a few words what failed. */
async function attempt(command: string, args: string[]): Promise<string | undefined> {
  try {
    const { code, output } = await run(command, args, { quiet: true })
    if (code === 0) return undefined
    const reason = /^(?:E:|npm error (?!code|errno|syscall)|.*error:) *(.*)$/im.exec(output)?.[1] ?? `exit code ${code}`
    return `${command} failed, ${reason}`
  } catch (error) {
    return `${command} could not be run, ${error instanceof Error ? error.message : String(error)}`
  }
}

const missing = (problem: string, source: string): string =>
  `The third-party software from ${source} is missing: ${problem.replace(/\.$/, '')}.`

const digest = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 16)
