// Makes everything that a release consists of, in the folder release: the same sources always give the same bytes. The time of all files is
// that of the commit, or SOURCE_DATE_EPOCH. With --tag it checks that the version and the changelog are those of the tag.
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { type Architecture, installation, npmPackage, writePackageFile } from './release/contents.ts'
import { debName, packDeb } from './release/deb.ts'
import { writeLicenses } from './release/licenses.ts'
import { writeNotes } from './release/notes.ts'
import { listComponents, writeSbom } from './release/sbom.ts'
import { type Entry, packTarGz } from './release/tar.ts'

const { values } = parseArgs({
  options: {
    out: { type: 'string', default: 'release' },
    tag: { type: 'string' },
    /** Who answers for the Debian package: a name and an address. */
    maintainer: { type: 'string' },
    /** For a quick test on one machine. */
    only: { type: 'string' },
  },
})
const ARCHITECTURES: Architecture[] = values.only === undefined ? ['x64', 'arm64'] : [values.only as Architecture]

// Debian wants an address. Where nobody has given one, it is one that can't exist (RFC 2606).
const maintainer = values.maintainer || 'The Latchkey contributors <nobody@latchkey.invalid>'

const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string }
const time = Number(
  process.env['SOURCE_DATE_EPOCH'] ?? execFileSync('git', ['log', '-1', '--format=%ct'], { encoding: 'utf8' }).trim(),
)

for (const script of ['scripts/build-dashboard.ts', 'scripts/build-server.ts']) {
  execFileSync(process.execPath, [script], { stdio: 'inherit' })
}
rmSync(values.out, { recursive: true, force: true })
mkdirSync(values.out, { recursive: true })

const sums: string[] = []
function write(name: string, content: Buffer | string): void {
  writeFileSync(join(values.out, name), content)
  sums.push(`${createHash('sha256').update(content).digest('hex')}  ${name}`)
  process.stdout.write(`${join(values.out, name)}  ${(Buffer.byteLength(content) / 1e6).toFixed(1)} MB\n`)
}

const notes = writeNotes(version, values.tag)
const components = listComponents(ARCHITECTURES)
const sbom = writeSbom(version, time, components)
const packageFile = writePackageFile(version)
const texts: Entry[] = [
  { path: 'THIRD-PARTY-LICENSES.txt', content: Buffer.from(writeLicenses(components)) },
  { path: 'sbom.cdx.json', content: Buffer.from(sbom) },
]
const within = (folder: string, entries: Entry[]) =>
  entries.map((entry) => ({ ...entry, path: `${folder}/${entry.path}` }))

write(`latchkey-${version}.tgz`, packTarGz(within('package', [...npmPackage(packageFile), ...texts]), time))
for (const architecture of ARCHITECTURES) {
  const entries = [...installation(architecture, packageFile), ...texts]
  const folder = `latchkey-${version}-linux-${architecture}`
  write(`${folder}.tar.gz`, packTarGz(within(folder, entries), time))
  write(debName(version, architecture), packDeb({ version, architecture, installation: entries, maintainer, time }))
}
write(`latchkey-${version}.cdx.json`, sbom)
write('RELEASE-NOTES.md', notes)
writeFileSync(join(values.out, 'SHA256SUMS'), `${sums.toSorted().join('\n')}\n`)
