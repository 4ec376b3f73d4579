import { type ChildProcess, execFile, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { accessSync, constants, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir, userInfo } from 'node:os'
import { delimiter, join } from 'node:path'
import type { TestContext } from 'node:test'
import { freePort } from '../support/free-port.ts'
import { until } from '../support/replicas.ts'

const INSTALL =
  'Install OpenSSH, client and server (on Debian and Ubuntu: apt-get install openssh-client openssh-server).'

/** The absolute path of a program. sshd must be started by it, and is rarely on the PATH of ordinary users. */
export function findProgram(program: 'ssh' | 'sshd' | 'ssh-agent' | 'ssh-keygen'): string {
  const folders = [...(process.env['PATH'] ?? '').split(delimiter), '/usr/sbin', '/usr/local/sbin', '/sbin']
  for (const folder of folders) {
    try {
      accessSync(join(folder, program), constants.X_OK)
      return join(folder, program)
    } catch {
      // Not in this folder.
    }
  }
  throw new Error(`${program} was not found. ${INSTALL}`)
}

export function sshKeygen(...args: string[]): string {
  const options = { encoding: 'utf8', env: { ...process.env, TZ: 'UTC', LC_ALL: 'C' }, stdio: 'pipe' } as const
  return execFileSync(findProgram('ssh-keygen'), args, options)
}

/** Lines of sshd_config. The key exchange that is the default computes for a fifth of a second in each connection. */
export const CHEAP_KEY_EXCHANGE = 'KexAlgorithms curve25519-sha256\n'

/** A folder that is removed after the test. */
export function temporaryFolder(t: Pick<TestContext, 'after'>): string {
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-interop-'))
  // What the test has started may still write there until it is stopped, which comes later.
  t.after(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }))
  return folder
}

/** A key pair made by OpenSSH itself: the path of the private key, and the line of the public one. */
export function newKeyPair(folder: string, name: string): { path: string; publicKey: string } {
  const path = join(folder, name)
  sshKeygen('-q', '-t', 'ed25519', '-N', '', '-C', name, '-f', path)
  return { path, publicKey: sshKeygen('-y', '-f', path).trim() }
}

/** The UNIX account that runs the tests, and that they log in to. */
export const ACCOUNT = userInfo().username

export interface Sshd {
  port: number
  /**
   * Logs in with a key and the certificate beside it; returns whether sshd accepted it. With a known_hosts file, ssh asks
   * nothing and refuses a host that the file does not vouch for: then this throws.
   */
  login(keyPath: string, certificate: string, more?: { knownHosts?: string; options?: string[] }): Promise<boolean>
  logged(): string
  /** Reads its host certificate again. */
  reload(): Promise<void>
}

/** A real sshd on a free port of this machine, which trusts certificates and nothing else. */
export async function startSshd(
  t: Pick<TestContext, 'after'>,
  files: { trusted: string; revoked: string },
  { hostKeyPath, lines = '' }: { hostKeyPath?: string; lines?: string } = {},
): Promise<Sshd> {
  const folder = temporaryFolder(t)
  const hostKey = hostKeyPath ?? newKeyPair(folder, 'host').path
  // As root, sshd needs this folder to start; distributions create it when they start sshd.
  if (process.getuid?.() === 0) mkdirSync('/run/sshd', { recursive: true, mode: 0o755 })
  const port = await freePort()
  const config = join(folder, 'sshd_config')
  writeFileSync(
    config,
    `ListenAddress 127.0.0.1
Port ${port}
HostKey ${hostKey}
PidFile none
UsePAM no
StrictModes no
PermitRootLogin yes
PasswordAuthentication no
KbdInteractiveAuthentication no
AuthorizedKeysFile none
TrustedUserCAKeys ${files.trusted}
RevokedKeys ${files.revoked}
LogLevel VERBOSE
${CHEAP_KEY_EXCHANGE}${lines}`,
  )
  const child = spawn(findProgram('sshd'), ['-D', '-e', '-f', config], { stdio: ['ignore', 'ignore', 'pipe'] })
  let log = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    log += text
  })
  t.after(() => stop(child))
  await listening(child, () => log)

  return {
    port,
    logged: () => log,
    async reload() {
      const before = log.length
      child.kill('SIGHUP')
      await until(async () => log.includes('Server listening', before))
    },
    login(keyPath, certificate, { knownHosts, options: more = [] } = {}) {
      writeFileSync(`${keyPath}-cert.pub`, `${certificate}\n`)
      const options = [
        'BatchMode=yes',
        'IdentitiesOnly=yes',
        'IdentityAgent=none',
        `CertificateFile=${keyPath}-cert.pub`,
        `StrictHostKeyChecking=${knownHosts === undefined ? 'no' : 'yes'}`,
        `UserKnownHostsFile=${knownHosts ?? '/dev/null'}`,
        'GlobalKnownHostsFile=/dev/null',
        'LogLevel=ERROR',
        'ConnectTimeout=20',
        ...more,
      ]
      const args = ['-F', '/dev/null', '-i', keyPath, '-p', String(port), ...options.flatMap((each) => ['-o', each])]
      return new Promise((resolve, reject) => {
        execFile(findProgram('ssh'), [...args, `${ACCOUNT}@127.0.0.1`, 'echo in'], (error, stdout, stderr) => {
          if (!error && stdout.trim() === 'in') resolve(true)
          else if (stderr.includes('Permission denied')) resolve(false)
          else reject(new Error(`ssh failed: ${stderr}${stdout}\nsshd log: ${log}`))
        })
      })
    },
  }
}

async function listening(child: ChildProcess, log: () => string): Promise<void> {
  while (!log().includes('Server listening')) {
    const [code] = (await Promise.race([once(child.stderr!, 'data'), once(child, 'exit')])) as [unknown]
    if (child.exitCode !== null) throw new Error(`sshd ended with ${String(code)}: ${log()}`)
  }
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  child.kill()
  await once(child, 'exit')
}
