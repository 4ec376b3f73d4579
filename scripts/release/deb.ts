import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Architecture } from './contents.ts'
import { type Entry, withEntries } from './tar.ts'

interface Package {
  version: string
  architecture: Architecture
  /** Everything below the folder of the program. */
  installation: Entry[]
  /** Name and address, as Debian wants them. */
  maintainer: string
  time: number
}

const ROOT = 'usr/lib/latchkey'
const UNITS = ['latchkey.service', 'latchkey-backup.service', 'latchkey-backup.timer', 'latchkey-follow.service']
const NAMES: Record<Architecture, string> = { x64: 'amd64', arm64: 'arm64' }

export const debName = (version: string, architecture: Architecture): string =>
  `latchkey_${toDebian(version)}_${NAMES[architecture]}.deb`

/** A tilde sorts before everything, so that 1.0.0~rc.1 is older than 1.0.0. */
const toDebian = (version: string): string => version.replace('-', '~')

/** A Debian package by dpkg-deb, which takes the time of all files from SOURCE_DATE_EPOCH. */
export function packDeb({ version, architecture, installation, maintainer, time }: Package): Buffer {
  const files: Entry[] = [
    ...installation.map((entry) => ({ ...entry, path: `${ROOT}/${entry.path}` })),
    { path: 'usr/bin/latchkey', link: '../lib/latchkey/bin/latchkey' },
    ...UNITS.map((name) => ({
      path: `usr/lib/systemd/system/${name}`,
      content: readFileSync(`deploy/systemd/${name}`),
    })),
    { path: 'usr/share/doc/latchkey/copyright', content: readFileSync('LICENSE') },
  ]
  const size = Math.ceil(files.reduce((sum, { content }) => sum + (content?.length ?? 0), 0) / 1024)
  const control: Entry[] = [
    { path: 'DEBIAN/control', content: Buffer.from(writeControl({ version, architecture, maintainer }, size)) },
    ...['postinst', 'prerm', 'postrm'].map((name) => ({
      path: `DEBIAN/${name}`,
      content: readFileSync(`scripts/release/debian/${name}`),
      mode: 0o755,
    })),
  ]
  return withEntries([...files, ...control], (folder) =>
    withEntries([], (out) => {
      const file = join(out, 'latchkey.deb')
      const env = { ...process.env, SOURCE_DATE_EPOCH: String(time) }
      execFileSync('dpkg-deb', ['--root-owner-group', '-Zgzip', '--build', folder, file], { env, stdio: 'pipe' })
      return readFileSync(file)
    }),
  )
}

function writeControl(
  { version, architecture, maintainer }: Pick<Package, 'version' | 'architecture' | 'maintainer'>,
  size: number,
): string {
  const { description = '' } = JSON.parse(readFileSync('package.json', 'utf8')) as { description?: string }
  return `Package: latchkey
Version: ${toDebian(version)}
Architecture: ${NAMES[architecture]}
Maintainer: ${maintainer}
Installed-Size: ${size}
Depends: libc6 (>= 2.28), libstdc++6, libgcc-s1, libatomic1, passwd
Section: net
Priority: optional
Description: identity provider for OpenID Connect, passkeys and SSH
 ${description}
`
}
