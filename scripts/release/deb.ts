import { readFileSync } from 'node:fs'
import type { Architecture } from './contents.ts'
import { type Entry, packTarGz } from './tar.ts'

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

/** A Debian package (deb(5)): an ar archive of a format number, the control files and the files themselves. */
export async function packDeb({ version, architecture, installation, maintainer, time }: Package): Promise<Buffer> {
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
  const control = [
    { path: './control', content: Buffer.from(writeControl({ version, architecture, maintainer }, size)) },
    ...['postinst', 'prerm', 'postrm'].map((name) => ({
      path: `./${name}`,
      content: readFileSync(`scripts/release/debian/${name}`),
      mode: 0o755,
    })),
  ]
  const [controlTar, dataTar] = await Promise.all([
    packTarGz(control, time),
    packTarGz(
      files.map((entry) => ({ ...entry, path: `./${entry.path}` })),
      time,
    ),
  ])
  return packAr(
    [
      ['debian-binary', Buffer.from('2.0\n')],
      ['control.tar.gz', controlTar],
      ['data.tar.gz', dataTar],
    ],
    time,
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

/** ar(5), as deb(5) wants it. */
function packAr(members: [name: string, content: Buffer][], time: number): Buffer {
  const parts: Buffer[] = [Buffer.from('!<arch>\n')]
  for (const [name, content] of members) {
    const header = `${name.padEnd(16)}${String(time).padEnd(12)}${'0'.padEnd(6)}${'0'.padEnd(6)}${'100644'.padEnd(8)}${String(content.length).padEnd(10)}\`\n`
    parts.push(Buffer.from(header), content)
    if (content.length % 2 === 1) parts.push(Buffer.from('\n'))
  }
  return Buffer.concat(parts)
}
