import assert from 'node:assert/strict'
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { type Sshd, startSshd, temporaryFolder } from './openssh.ts'

interface Result {
  code: number
  output: string
}

export const run = (command: string, args: string[], environment: Record<string, string> = {}): Promise<Result> =>
  new Promise((resolve) => {
    execFile(command, args, { env: { PATH: process.env['PATH'], ...environment } }, (error, stdout, stderr) => {
      resolve({ code: error ? Number(error.code) : 0, output: stdout + stderr })
    })
  })

export interface SetUpHost {
  /** The folder that has the files of the host. */
  root: string
  sshd: Sshd
  /** Where a test may put what its users know of hosts. */
  knownHosts: string
  /** The output of the sync that waits. */
  synced(): string
}

/** Runs the line that enrolls a host, under a folder of its own, and starts the sshd and the sync of the host. */
export async function setUpHost(t: Pick<TestContext, 'after'>, command: string, shell = 'sh'): Promise<SetUpHost> {
  const root = temporaryFolder(t)
  mkdirSync(join(root, 'etc/ssh'), { recursive: true })
  writeFileSync(join(root, 'etc/ssh/sshd_config'), 'Include /etc/ssh/sshd_config.d/*.conf\n')
  const line = command.replace('| sudo sh', `| LATCHKEY_ROOT=${root} ${shell}`)
  assert.notEqual(line, command)
  const { code, output } = await run('sh', ['-c', line])
  assert.equal(code, 0, output)
  const snippet = readFileSync(join(root, 'etc/ssh/sshd_config.d/10-latchkey.conf'), 'utf8')
  assert.match(snippet, /^HostCertificate \/etc\/ssh\/ssh_host_ed25519_key-cert\.pub$/m)
  assert.match(snippet, /^AuthorizedPrincipalsFile \/etc\/ssh\/latchkey_principals\/%u$/m)
  const lines = snippet
    .replaceAll(' /etc/ssh/', ` ${root}/etc/ssh/`)
    .replaceAll(/^(TrustedUserCAKeys|RevokedKeys).*\n/gm, '')
  const files = { trusted: join(root, 'etc/ssh/trusted_user_ca.pub'), revoked: join(root, 'etc/ssh/revoked_keys') }
  const sshd = await startSshd(t, files, { hostKeyPath: join(root, 'etc/ssh/ssh_host_ed25519_key'), lines })
  const [program = 'sh', ...args] = shell.split(' ')
  const child = spawn(program, [...args, join(root, 'usr/local/sbin/latchkey-ssh-sync'), '--wait'], {
    env: { PATH: process.env['PATH'], LATCHKEY_ROOT: root },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let synced = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    synced += text
  })
  t.after(() => stop(child))
  return { root, sshd, knownHosts: join(root, 'known_hosts'), synced: () => synced }
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  child.kill()
  await once(child, 'exit')
}
