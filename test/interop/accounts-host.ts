import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import type { HostAccount } from '../../src/ssh/accounts/list-host-accounts.ts'
import { newKeyPair, temporaryFolder } from './openssh.ts'
import { newSessionHost, type SessionHost } from './session-host.ts'
import { SCRIPTS } from './ssh-host-scripts.ts'
import { connect, type Connection } from './ssh-sessions.ts'

export const PROGRAM = '/usr/local/sbin/latchkey-ssh-accounts'
const STATE = '/var/lib/latchkey-ssh'

export interface Conflict {
  name: string
  uid: number
}

/** A host whose root has allowed a server to decide about accounts and sudo, with Debian’s own useradd and visudo, and no server. */
export interface AccountsHost extends SessionHost {
  /** What the program says about an answer of the server; throws if it fails. */
  apply(...accounts: HostAccount[]): Promise<string>
  /** The same with an answer as it comes, and an end that is no failure of the test. */
  tryAnswer(answer: string | Buffer): Promise<{ code: number; output: string }>
  conflicts(): Promise<Conflict[]>
  /** The line of /etc/passwd, cut into fields. */
  entry(name: string): string[] | undefined
  /** The day on which the account expires, as /etc/shadow has it. */
  expiry(name: string): string | undefined
  sudoers(): string
  /** What runs with this real user id. */
  running(uid: number): Promise<string[]>
}

export const account = (name: string, uid: number, more: Partial<HostAccount> = {}): HostAccount => ({
  name,
  uid,
  displayName: name,
  locked: false,
  sudo: 'none',
  ...more,
})

export async function newAccountsHost(t: Pick<TestContext, 'after'>, own: string[] = []): Promise<AccountsHost> {
  const host = await newSessionHost(t, own)
  for (const name of ['latchkey-ssh-accounts', 'latchkey-ssh-session'])
    host.write(`/usr/local/sbin/${name}`, readFileSync(join(SCRIPTS, name)), 0o755)
  await host.run(`mkdir -m 700 ${STATE}; printf 'accounts\\nsudo\\n' >${STATE}/allowed
    printf 'https://id.example.org\\nhost\\n1\\n' >${STATE}/enrolled`)
  const line = (file: string, name: string) =>
    host
      .read(file)
      .split('\n')
      .map((each) => each.split(':'))
      .find(([first]) => first === name)
  const tryAnswer = async (answer: string | Buffer) => {
    host.write('/run/answer', answer)
    const output = await host.run(`code=0; ${PROGRAM} apply /run/answer 2>&1 || code=$?; echo "$code"`)
    const lines = output.trimEnd().split('\n')
    return { code: Number(lines.pop()), output: lines.join('\n') }
  }
  return {
    ...host,
    tryAnswer,
    async apply(...accounts) {
      const { code, output } = await tryAnswer(JSON.stringify({ accounts }))
      assert.equal(code, 0, output)
      return output
    },
    conflicts: async () => JSON.parse(`{${await host.run(`${PROGRAM} report`)}}`).conflicts as Conflict[],
    entry: (name) => line('/etc/passwd', name),
    expiry: (name) => line('/etc/shadow', name)?.[7],
    sudoers: () => host.read('/etc/sudoers.d/latchkey'),
    running: async (uid) =>
      (await host.run(`ps -U ${uid} -o stat=,args= | grep -v '^Z' | cut -c 6- || true`)).split('\n').filter(Boolean),
  }
}

/** Puts a key into the own authorized_keys of an account, and returns how to log in with it. */
export async function withOwnKey(
  t: Pick<TestContext, 'after'>,
  host: SessionHost,
  name: string,
): Promise<(...command: string[]) => Connection> {
  const { path, publicKey } = newKeyPair(temporaryFolder(t), 'own')
  await host.run(
    `cd ~${name} && mkdir -p -m 700 .ssh && echo '${publicKey}' >.ssh/authorized_keys && chown -R ${name} .ssh`,
  )
  const args = ['-o', 'BatchMode=yes', '-o', 'IdentitiesOnly=yes', '-o', 'IdentityAgent=none', '-i', path]
  return (...command) => connect(t, host, [...args, `${name}@127.0.0.1`, ...command])
}

/** Every file of a folder of the host, as one text. */
export const contentOn = (host: SessionHost, folder: string): Promise<string> =>
  host.run(`cd ${folder} && find . -printf '%p %m %U:%G %l\\n' | sort; find . -type f -exec sha256sum {} + | sort -k 2`)
