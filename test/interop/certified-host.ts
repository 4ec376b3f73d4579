import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { newKeyPair, sshKeygen, temporaryFolder } from './openssh.ts'
import { newSessionHost, type SessionHost } from './session-host.ts'
import { SCRIPTS } from './ssh-host-scripts.ts'
import { connect, type Connection, withCertificate } from './ssh-sessions.ts'

const SCRIPT = '/usr/local/sbin/latchkey-ssh-session'

/** A host that has lists as the sync writes them, made by ssh-keygen, and no server. */
export interface CertifiedHost extends SessionHost {
  /** A new key with a certificate for these principals. */
  certify(serial: number | string, principals?: string): { keyPath: string }
  /** Signs the public keys in these files with these options of ssh-keygen, as certificates of ada. */
  sign(...args: string[]): void
  /** Replaces the list of revoked certificates. */
  revoke(...serials: (number | string)[]): void
  /** Who may log in to the account. */
  list(account: string, ...principals: string[]): void
  connect(member: { keyPath: string }, ...args: string[]): Connection
  session(command: string): Promise<string>
  report(): Promise<Report>
}

interface Report {
  sessions: { serial: string; account: string; startedAt: number; sourceAddress: string }[] | null
  ended?: { serial: string; account: string; at: number }[]
}

interface Options {
  accounts?: string[]
  lines?: string
  /** Runs the script with BusyBox alone, or with bash as other distributions do, and not with dash. */
  shell?: 'busybox' | 'bash' | undefined
  /** The folder with the files of another release of Debian. */
  release?: string
}

export async function newCertifiedHost(
  t: Pick<TestContext, 'after'>,
  { accounts = ['ada', 'bob'], lines = '', shell, release }: Options = {},
): Promise<CertifiedHost> {
  const folder = temporaryFolder(t)
  const ca = newKeyPair(folder, 'ca')
  const files = 'TrustedUserCAKeys /etc/ssh/trusted_user_ca.pub\nRevokedKeys /etc/ssh/revoked_keys\n'
  const host = await newSessionHost(t, accounts, files + lines, release)
  host.write('/etc/ssh/trusted_user_ca.pub', `${ca.publicKey}\n`)
  const script = readFileSync(join(SCRIPTS, 'latchkey-ssh-session'), 'utf8')
  if (shell === 'busybox')
    await host.run('mkdir /run/busybox; busybox --install -s /run/busybox; ln -s /usr/bin/ssh-keygen /run/busybox')
  if (shell === 'bash') await host.run('mkdir /run/bash; ln -s /bin/bash /run/bash/sh')
  const inShell = shell === undefined ? script : script.replace('#!/bin/sh', `#!/run/${shell}/sh`)
  host.write(SCRIPT, shell === 'busybox' ? inShell.replace(/^PATH=.*$/m, 'PATH=/run/busybox') : inShell, 0o755)
  await host.run(`${SCRIPT} install`)

  let count = 0
  const revoke = (...serials: (number | string)[]) => {
    const [list, wanted] = [join(folder, 'krl'), join(folder, 'wanted')]
    writeFileSync(wanted, serials.map((each) => `serial: ${each}\n`).join(''))
    sshKeygen('-q', '-k', '-f', list, '-s', `${ca.path}.pub`, wanted)
    host.write('/etc/ssh/revoked_keys', readFileSync(list))
  }
  revoke()
  await host.startSshd()
  const sign = (...args: string[]) =>
    void sshKeygen('-q', '-s', ca.path, '-I', 'ada:usr_1:1', '-n', 'ada', '-V', '-1m:+1h', ...args)
  return {
    ...host,
    revoke,
    sign,
    certify(serial, principals = 'ada') {
      const key = newKeyPair(folder, `key${++count}`)
      sign('-n', principals, '-z', String(serial), `${key.path}.pub`)
      return { keyPath: key.path }
    },
    list: (account, ...principals) =>
      host.write(`/etc/ssh/latchkey_principals/${account}`, principals.map((each) => `${each}\n`).join('')),
    connect: (member, ...args) => connect(t, host, [...withCertificate(member), ...args]),
    session: (command) => host.run(`${SCRIPT} ${command}`),
    report: async () => JSON.parse(`{${await host.run(`${SCRIPT} report`)}}`) as Report,
  }
}
