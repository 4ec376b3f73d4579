import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { TestContext } from 'node:test'
import { runUntilReady } from './run-application.ts'
import { debianEnvironment, debianProgram } from './software.ts'

/** The settings of the catalogue: of dovecot.conf, and of dovecot-oauth2.conf.ext. */
interface DovecotSettings {
  dovecot: string
  oauth2: string
}

interface Dovecot {
  /** The user that Dovecot let in, or undefined. */
  signIn(mechanism: 'XOAUTH2' | 'OAUTHBEARER', user: string, token: string): Promise<string | undefined>
}

const TIMEOUT_MS = 10_000

/** Root runs the parts of Dovecot as users without rights. */
const [USER, GROUP] = userInfo().uid === 0 ? ['nobody', 'nogroup'] : [userInfo().username, '']

/**
 * Dovecot with its authentication only, which mail programs reach through IMAP, and Postfix through this socket. The packages are not
 * installed, so the paths that are compiled in are given, and `doveconf` is started first, as `dovecot` would.
 */
export async function startDovecot(t: TestContext, folder: string, settings: DovecotSettings): Promise<Dovecot> {
  const runtime = mkdtempSync(join(tmpdir(), 'latchkey-dovecot-'))
  chmodSync(runtime, 0o755)
  t.after(() => rmSync(runtime, { recursive: true, force: true }))
  const oauth2 = join(runtime, 'dovecot-oauth2.conf.ext')
  writeFileSync(oauth2, settings.oauth2)
  const config = join(runtime, 'dovecot.conf')
  writeFileSync(
    config,
    `base_dir = ${runtime}/run
state_dir = ${runtime}
libexec_dir = ${debianProgram(folder, 'usr/lib/dovecot')}
log_path = /dev/stderr
import_environment = LD_LIBRARY_PATH
default_internal_user = ${USER}
default_internal_group = ${GROUP}
default_login_user = ${USER}
ssl = no
protocols =
auth_failure_delay = 0
service anvil {
  chroot =
  # Without it, Dovecot lets nobody wait after failures.
  unix_listener anvil-auth-penalty {
    mode = 0
  }
}
service auth {
  unix_listener auth-client {
    mode = 0600
  }
}
${settings.dovecot.replace('$auth_mechanisms ', '').replace('/etc/dovecot/dovecot-oauth2.conf.ext', oauth2)}
userdb {
  driver = static
  args = uid=${userInfo().uid} gid=${userInfo().gid} home=${runtime}
}
`,
  )
  const environment = debianEnvironment(folder)
  const libraries = ['usr/lib/dovecot', 'usr/lib/dovecot/modules/old-stats'].map((path) => join(folder, path))
  const socket = join(runtime, 'run/auth-client')
  await runUntilReady(t, {
    command: debianProgram(folder, 'usr/bin/doveconf'),
    args: ['-c', config, '-p', '-e', debianProgram(folder, 'usr/sbin/dovecot'), '-F', '-c', config],
    folder,
    environment: { ...environment, LD_LIBRARY_PATH: [environment['LD_LIBRARY_PATH'], ...libraries].join(':') },
    isReady: () => canConnect(socket),
  })
  return { signIn: (...credentials) => authenticate(socket, ...credentials) }
}

const canConnect = (path: string): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(path)
    socket.on('connect', () => resolve(true))
    socket.on('error', () => resolve(false))
    socket.on('close', () => resolve(false))
    socket.on('connect', () => socket.destroy())
  })

/** What a mail program sends: RFC 7628 section 3.1, or Google's older form of it. */
const responses = {
  OAUTHBEARER: (user: string, token: string) => `n,a=${user},\x01auth=Bearer ${token}\x01\x01`,
  XOAUTH2: (user: string, token: string) => `user=${user}\x01auth=Bearer ${token}\x01\x01`,
}

/** The protocol between Dovecot’s authentication and its clients, such as Postfix. */
async function authenticate(path: string, ...[mechanism, user, token]: Parameters<Dovecot['signIn']>) {
  const socket = connect(path)
  socket.setTimeout(TIMEOUT_MS, () => socket.destroy(new Error('Dovecot did not answer.')))
  const response = Buffer.from(responses[mechanism](user, token)).toString('base64')
  socket.write(`VERSION\t1\t1\nCPID\t${process.pid}\n`)
  socket.write(`AUTH\t1\t${mechanism}\tservice=imap\tresp=${response}\n`)
  try {
    for await (const line of createInterface(socket)) {
      const [verdict, , ...fields] = line.split('\t')
      // The reason is a challenge, which the mail program has to answer.
      if (verdict === 'CONT') socket.write(`CONT\t1\t${Buffer.from('\x01').toString('base64')}\n`)
      if (verdict === 'FAIL') return undefined
      if (verdict === 'OK') return fields.find((field) => field.startsWith('user='))?.slice('user='.length)
    }
    throw new Error('Dovecot closed the connection.')
  } finally {
    socket.destroy()
  }
}
