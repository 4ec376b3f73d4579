import assert from 'node:assert/strict'
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { freePort } from '../support/free-port.ts'
import { until } from '../support/replicas.ts'
import { CHEAP_KEY_EXCHANGE, findProgram, temporaryFolder } from './openssh.ts'
import { SCRIPTS } from './ssh-host-scripts.ts'

/** Hosts of these tests have mounts of their own. As root nothing is left out, and never in CI. */
export const needsRoot = {
  skip: process.getuid?.() !== 0 && process.env['CI'] === undefined && 'only root can make a host with PAM',
}

/** The password of the accounts, for sessions that were begun without a certificate. */
export const PASSWORD = 'a password of the host'

/**
 * A host with files and processes of its own: Debian’s own sshd with PAM, as its package configures it, and accounts. The network is
 * that of the machine.
 */
const PREPARE = `
set -e
mount --make-rprivate /
mount -t tmpfs -o mode=755 none "$1"
mkdir "$1/etc" "$1/home" "$1/sbin" "$1/var" "$1/log" "$1/mail"
cp -a /etc/. "$1/etc"
cp "$2/sshd_config" "$1/etc/ssh/sshd_config"
rm -rf "$1"/etc/ssh/ssh_host_* "$1"/etc/ssh/sshd_config.d/* "$1"/etc/ssh/trusted_user_ca.pub "$1"/etc/ssh/revoked_keys
mkdir -p "$1/etc/ssh/sshd_config.d"
for each in etc home; do mount --bind "$1/$each" "/$each"; done
mount --bind "$1/sbin" /usr/local/sbin
mount --bind "$1/var" /var/lib
for each in log mail; do mount --bind "$1/$each" "/var/$each"; done
mount -t tmpfs -o mode=755 none /run
mkdir /run/sshd
mount -t tmpfs -o mode=1777 none /tmp
mount -t proc none /proc
`

/** The same with the files of another release of Debian, whose packages were unpacked and not installed. */
const PREPARE_OTHER = `
set -e
mount --make-rprivate /
mount -t tmpfs -o mode=755 none "$1"
mkdir "$1/upper" "$1/work" "$1/root"
mount -t overlay -o "lowerdir=$5,upperdir=$1/upper,workdir=$1/work" none "$1/root"
cd "$1/root"
cp usr/share/base-passwd/passwd.master etc/passwd
cp usr/share/base-passwd/group.master etc/group
for each in auth account password session; do echo "$each required pam_unix.so" >"etc/pam.d/common-$each"; done
mkdir -p etc/ssh/sshd_config.d usr/local/sbin
cp "$2/sshd_config" etc/ssh/sshd_config
touch etc/environment etc/default/locale
mount --rbind /dev dev
mount -t proc none proc
mount -t tmpfs -o mode=755 none run
mkdir run/sshd
mount -t tmpfs -o mode=1777 none tmp
exec chroot . sh -c "$6" sh "$@"
`

const START_OTHER = `
set -e
ln -s mawk /usr/bin/awk
pwconv
grpconv
useradd --system --home-dir /run/sshd --shell /usr/sbin/nologin sshd
`

const START = `
ssh-keygen -q -t ed25519 -N '' -f /etc/ssh/ssh_host_ed25519_key
for account in $3; do useradd --create-home --shell /bin/bash "$account"; echo "$account:$4"; done | chpasswd
echo "root:$4" | chpasswd
touch /run/ready
# The first process of the host ends what has lost its parent.
while :; do sleep 3600 & wait "$!"; done
`

export interface SessionHost {
  port: number
  /** Runs a script as root on the host; throws if it fails. */
  run(script: string): Promise<string>
  start(command: string, ...args: string[]): ChildProcess
  /** The content of a file of the host, or nothing. */
  read(path: string): string
  /** Replaces a file of the host. */
  write(path: string, content: string | Buffer, mode?: number): void
  /** The output of the sync that waits. */
  synced(): string
  /** As the unit does it, or as cron would. */
  startSync(asUnit?: boolean): Promise<ChildProcess>
  startSshd(): Promise<ChildProcess>
}

export async function newSessionHost(
  t: Pick<TestContext, 'after'>,
  accounts: string[],
  lines = '',
  /** The folder with the files of another release of Debian. */
  release?: string,
): Promise<SessionHost> {
  const [folder, files] = [temporaryFolder(t), temporaryFolder(t)]
  const port = await freePort()
  writeFileSync(
    join(files, 'sshd_config'),
    `Include /etc/ssh/sshd_config.d/*.conf
ListenAddress 127.0.0.1
Port ${port}
UsePAM yes
KbdInteractiveAuthentication no
PasswordAuthentication yes
PermitRootLogin yes
Subsystem sftp internal-sftp
LogLevel VERBOSE
MaxStartups 1000
${CHEAP_KEY_EXCHANGE}${lines}`,
  )
  const script = release === undefined ? PREPARE + START : PREPARE_OTHER
  const args = ['--mount', '--pid', '--fork', '--kill-child', 'sh', '-c', script, 'sh', folder, files]
  const outer = spawn('unshare', [...args, accounts.join(' '), PASSWORD, release ?? '', START_OTHER + START], {
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let failed = ''
  outer.stderr.on('data', (chunk: Buffer) => (failed += chunk.toString()))
  t.after(async () => {
    if (outer.exitCode !== null) return
    outer.kill('SIGKILL')
    await once(outer, 'exit')
  })
  const inner = async () => {
    assert.equal(outer.exitCode, null, failed)
    const path = `/proc/${outer.pid}/task/${outer.pid}/children`
    return existsSync(path) ? readFileSync(path, 'utf8').trim() : ''
  }
  await until(async () => (await inner()) !== '' && existsSync(`/proc/${await inner()}/root/run/ready`), 20_000)
  const init = await inner()
  const inside = (path: string) => `/proc/${init}/root${path}`
  const enter = ['--target', init, '--mount', '--pid', '--root', '--wd']
  // Nothing of the tests’ own environment.
  const env = { PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin', HOME: '/root' }

  const start = (command: string, ...rest: string[]) => {
    const child = spawn('nsenter', [...enter, command, ...rest], { env, stdio: ['ignore', 'pipe', 'pipe'] })
    t.after(() => void child.kill('SIGKILL'))
    return child
  }
  const run = (script: string): Promise<string> =>
    new Promise((resolve, reject) => {
      execFile('nsenter', [...enter, 'sh', '-c', script], { env }, (error, stdout, stderr) => {
        if (error) reject(new Error(`${script}: ${stderr}${stdout}`))
        else resolve(stdout + stderr)
      })
    })
  let synced = ''
  return {
    port,
    run,
    start,
    read: (path) => (existsSync(inside(path)) ? readFileSync(inside(path), 'utf8') : ''),
    write(path, content, mode = 0o644) {
      writeFileSync(`${inside(path)}.new`, content, { mode })
      renameSync(`${inside(path)}.new`, inside(path))
    },
    synced: () => synced,
    async startSshd() {
      const sshd = start(findProgram('sshd'), '-D', '-e')
      let log = ''
      sshd.stderr?.on('data', (chunk: Buffer) => (log += chunk.toString()))
      sshd.stdout?.resume()
      await until(async () => log.includes('Server listening') || sshd.exitCode !== null)
      assert.equal(sshd.exitCode, null, log)
      return sshd
    },
    async startSync(asUnit = true) {
      const sync = start('setpriv', ...(asUnit ? asTheUnit() : []), '/usr/local/sbin/latchkey-ssh-sync', '--wait')
      const before = synced.length
      for (const stream of [sync.stdout, sync.stderr]) {
        stream?.on('data', (chunk: Buffer) => (synced += chunk.toString()))
      }
      await until(async () => synced.length >= before)
      return sync
    },
  }
}

/** What the unit that is shipped lets the sync do. */
function asTheUnit(): string[] {
  const unit = readFileSync(join(SCRIPTS, 'latchkey-ssh-sync.service'), 'utf8')
  const [, capabilities = ''] = /^CapabilityBoundingSet=(.*)$/m.exec(unit) ?? []
  const kept = capabilities.split(' ').map((name) => `+${name.replace(/^CAP_/, '').toLowerCase()}`)
  return ['--no-new-privs', '--inh-caps=-all', `--bounding-set=-all,${kept.join(',')}`]
}
