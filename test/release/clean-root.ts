import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'

const REPOSITORY = join(import.meta.dirname, '../..')

/** What npm run test:release has made. Other runs have no release to install, and skip these tests. */
export const RELEASE: string = process.env['RELEASE_FOLDER'] ?? ''

export const skip: string | false = RELEASE === '' ? 'npm run test:release makes a release and installs it' : false

/**
 * Runs a script as root in a system of its own: the files of this one as they are, where every change is discarded, without this
 * repository and without Node, and with no network but the loopback address. What is mounted at /mnt is the given folder.
 */
export function runInCleanRoot(t: TestContext, folder: string, script: string, { keepNode = false } = {}): string {
  // The folder of changes can't be on an overlay itself, which the root of a container is.
  const base = mkdtempSync(join(process.env['OVERLAY_FOLDER'] ?? '/dev/shm', 'latchkey-root-'))
  t.after(() => rmSync(base, { recursive: true, force: true }))
  for (const name of ['changes', 'work', 'root']) mkdirSync(join(base, name))
  const inner = join(base, 'inner.sh')
  writeFileSync(inner, `set -eu\nEARLIER=${EARLIER}\n${FUNCTIONS}\nfiles >/tmp/files-before\n${script}`)
  const outer = `set -eu
busybox ifconfig lo up
mount -t overlay overlay -o lowerdir=/,upperdir=${base}/changes,workdir=${base}/work ${base}/root
mount -t tmpfs tmpfs ${base}/root${REPOSITORY}
mount -t tmpfs tmpfs ${base}/root/tmp
mount -t proc proc ${base}/root/proc
mkdir -p ${base}/root/dev
mount --bind /dev ${base}/root/dev
mount --bind ${folder} ${base}/root/mnt
${keepNode ? '' : `rm -rf ${base}/root/usr/bin/node ${base}/root/usr/local/bin/node`}
cp ${inner} ${base}/root/tmp/inner.sh
exec chroot ${base}/root /bin/sh /tmp/inner.sh
`
  return execFileSync('unshare', ['--mount', '--net', '--pid', '--fork', '--kill-child', 'sh', '-c', outer], {
    encoding: 'utf8',
    env: { PATH: '/usr/sbin:/usr/bin:/sbin:/bin', DEBIAN_FRONTEND: 'noninteractive', HOME: tmpdir() },
    stdio: ['ignore', 'pipe', 'inherit'],
    timeout: 180_000,
  })
}

/** What the packages that are upgraded call themselves. They have the files of this version. */
export const EARLIER = '0.0.1'

/** Shell functions: wait for the service, stop it, register somebody, sign in. They use the Node in $NODE. */
const FUNCTIONS = `
ready() {
  for try in $(seq 300); do
    if "$NODE" -e 'fetch("http://127.0.0.1:3000/readyz").then((a) => process.exit(a.ok ? 0 : 1), () => process.exit(1))'; then return 0; fi
    sleep 0.1
  done
  echo "The service does not answer."; cat /tmp/log; exit 1
}
post() {
  "$NODE" -e '
    const [path, body] = process.argv.slice(1)
    const headers = { "content-type": "application/json", origin: "http://localhost:3000" }
    fetch("http://127.0.0.1:3000" + path, { method: "POST", headers, body }).then(async (answer) => {
      console.log(path, answer.status, (answer.headers.get("set-cookie") ?? "").includes("session=") ? "signed in" : await answer.text())
    })' "$1" "$2"
}
register() { post /api/auth/register '{"email":"ada@example.com","password":"correct horse battery staple"}'; }
login() { post /api/auth/login '{"email":"ada@example.com","password":"correct horse battery staple"}'; }
page() {
  "$NODE" -e 'fetch("http://127.0.0.1:3000/login").then(async (a) => console.log("page", a.status, (await a.text()).includes("/assets/")))'
}
# make_earlier FOLDER: what is unpacked there says that it is an earlier version.
make_earlier() { sed -i 's/"version": "[^"]*"/"version": "'"$EARLIER"'"/' "$1/package.json"; }
# All files of this name but those in memory, where the tests work.
files() { find /etc /usr /opt /srv /var -xdev -name '*latchkey*' -prune | sort; }
# What is there and was not when the test began.
left() { echo "left:"; files | comm -13 /tmp/files-before -; echo "end"; }
stop() { kill "$1"; wait "$1" || { echo "It stopped with $?."; cat /tmp/log; exit 1; }; }
`
