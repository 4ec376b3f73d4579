import assert from 'node:assert/strict'
import { execFile, spawn } from 'node:child_process'
import { hash } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, lstatSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { freePort } from '../support/free-port.ts'
import { until } from '../support/replicas.ts'

const SYSTEMD = '/lib/systemd/systemd'

/**
 * The files of this machine, where every change goes to a folder, with processes of its own and the network of the machine. It has
 * sshd as Debian configures it, with an RSA key alone.
 */
const PREPARE = `
set -e
base=$1 port=$2 kind=$3
root=$base/root
mount --make-rprivate /
mount -t overlay overlay -o "lowerdir=/,upperdir=$base/changes,workdir=$base/work" "$root"
mount -t proc proc "$root/proc"
mount -t sysfs sysfs "$root/sys"
for each in run tmp dev; do mount -t tmpfs tmpfs "$root/$each"; done
chmod 1777 "$root/tmp"
cd "$root/dev"
for each in null:3 zero:5 full:7 random:8 urandom:9; do mknod -m 666 "\${each%:*}" c 1 "\${each#*:}"; done
mknod -m 666 tty c 5 0
ln -s /proc/self/fd fd
ln -s pts/ptmx ptmx
mkdir pts shm
mount -t devpts -o newinstance,ptmxmode=666,mode=620 devpts pts
touch console
: >"$base/console"
mount --bind "$base/console" console
cd "$root"
rm -rf etc/ssh/ssh_host_* etc/ssh/sshd_config.d/* etc/ssh/trusted_user_ca.pub etc/ssh/revoked_keys etc/systemd/system/*.wants
printf 'Include /etc/ssh/sshd_config.d/*.conf\\nListenAddress 127.0.0.1\\nPort %s\\nUsePAM yes\\n' "$port" >etc/ssh/sshd_config
mkdir -p etc/ssh/sshd_config.d run/sshd .old
ssh-keygen -q -t rsa -b 2048 -N '' -f etc/ssh/ssh_host_rsa_key
pivot_root . .old
umount -l /.old
rmdir /.old
if [ "$kind" = plain ]; then
  /usr/sbin/sshd
  touch /run/ready
  while :; do sleep 3600 & wait "$!"; done
fi
# What belongs to the machine stays as it is.
mount --bind /proc/sys /proc/sys
mount -o remount,ro,bind /proc/sys
echo '#subsys_name hierarchy num_cgroups enabled' >/run/cgroups
mount --bind /run/cgroups /proc/cgroups
if [ -e "$4" ]; then
  mount -t cgroup2 cgroup2 /sys/fs/cgroup
else
  mount -t tmpfs tmpfs /sys/fs/cgroup
  mkdir /sys/fs/cgroup/systemd
  mount -t cgroup -o none,name=systemd cgroup /sys/fs/cgroup/systemd
fi
for each in sysctl modules-load remount-fs tmpfiles-setup tmpfiles-setup-dev sysusers update-utmp udevd udev-trigger binfmt random-seed \\
  firstboot journal-flush machine-id-commit hwdb-update pcrphase; do ln -sf /dev/null "/etc/systemd/system/systemd-$each.service"; done
for each in dev-hugepages dev-mqueue sys-kernel-debug sys-kernel-tracing sys-kernel-config sys-fs-fuse-connections; do
  ln -sf /dev/null "/etc/systemd/system/$each.mount"
done
for each in kmod-static-nodes ldconfig; do ln -sf /dev/null "/etc/systemd/system/$each.service"; done
ln -sf /dev/null /etc/systemd/system/proc-sys-fs-binfmt_misc.automount
printf '[Unit]\\nWants=ssh.service systemd-journald.service\\n' >/etc/systemd/system/host.target
tr -d - </proc/sys/kernel/random/uuid >/etc/machine-id
exec env -i container=lxc PATH=/usr/sbin:/usr/bin:/sbin:/bin ${SYSTEMD} --system --unit=host.target --show-status=no
`

interface Result {
  code: number
  output: string
}

export interface WholeHost {
  /** Runs a script as root on the host. */
  run(script: string): Promise<Result>
  /** Takes the present files as those to compare with. */
  remember(): void
  /** Every path that is another one than it was then, with what it was and what it is. */
  changed(): Record<string, string>
}

export const hasSystemd = existsSync(SYSTEMD)

/** What the system itself writes while it runs. */
const OF_THE_SYSTEM = /^(var\/log|var\/lib\/systemd|var\/cache|etc\/\.pwd\.lock)(\/|$)/

export async function startWholeHost(t: TestContext, kind: 'plain' | 'systemd'): Promise<WholeHost | undefined> {
  // The folder of changes can't be on an overlay itself, which the root of a container is.
  const base = mkdtempSync(join(process.env['OVERLAY_FOLDER'] ?? '/dev/shm', 'latchkey-host-'))
  for (const name of ['changes', 'work', 'root']) mkdirSync(join(base, name))
  const args = ['--mount', '--pid', '--cgroup', '--uts', '--ipc', '--fork', '--kill-child', 'sh', '-c', PREPARE, 'sh']
  const unified = '/sys/fs/cgroup/cgroup.controllers'
  const outer = spawn('unshare', [...args, base, String(await freePort()), kind, unified], {
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let failed = ''
  outer.stderr.on('data', (chunk: Buffer) => (failed += chunk.toString()))
  t.after(async () => {
    if (outer.exitCode === null && outer.signalCode === null) {
      outer.kill('SIGKILL')
      await once(outer, 'exit')
    }
    rmSync(base, { recursive: true, force: true })
  })
  const inner = () => readFileSync(`/proc/${outer.pid}/task/${outer.pid}/children`, 'utf8').trim()
  const env = { PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin', HOME: '/root' }
  const run = (script: string): Promise<Result> =>
    new Promise((resolve) => {
      const enter = ['--target', inner(), '--all', '--root', '--wd']
      execFile('nsenter', [...enter, 'sh', '-c', script], { env }, (error, stdout, stderr) => {
        resolve({ code: error ? Number(error.code) : 0, output: stdout + stderr })
      })
    })
  const isReady = async () => {
    assert.equal(outer.exitCode, null, failed)
    if (inner() === '') return false
    if (kind === 'plain') return existsSync(`/proc/${inner()}/root/run/ready`)
    return (await run('[ -d /run/systemd/system ] && systemctl is-active --quiet ssh.service')).code === 0
  }
  try {
    await until(isReady, 20_000)
  } catch (error) {
    // Where systemd doesn't start in a namespace there is no host to test on.
    if (kind === 'systemd') return undefined
    throw error
  }
  const changes = join(base, 'changes')
  let before = describeAll(changes)
  return {
    run,
    remember: () => void (before = describeAll(changes)),
    changed() {
      const after = describeAll(changes)
      const paths = new Set([...Object.keys(before), ...Object.keys(after)])
      const of = (found: Record<string, string>, path: string) => found[path] ?? describe(join('/', path))
      return Object.fromEntries(
        [...paths]
          .filter((path) => !OF_THE_SYSTEM.test(path) && of(before, path) !== of(after, path))
          .map((path) => [path, `${of(before, path)} → ${of(after, path)}`]),
      )
    },
  }
}

const describeAll = (folder: string): Record<string, string> =>
  Object.fromEntries(
    readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => [name, describe(join(folder, name))]),
  )

/** Mode, owner and content. A character device stands for what was deleted. */
function describe(path: string): string {
  const found = lstatSync(path, { throwIfNoEntry: false })
  if (found === undefined || found.isCharacterDevice()) return 'nothing'
  const owned = `${(found.mode & 0o7777).toString(8)} ${found.uid}:${found.gid}`
  if (found.isSymbolicLink()) return `${found.uid}:${found.gid} link to ${readlinkSync(path)}`
  return found.isFile() ? `${owned} ${hash('sha256', readFileSync(path))}` : `${owned} folder`
}
