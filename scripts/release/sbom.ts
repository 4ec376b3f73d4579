import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Architecture, nativePackages, runtimePackage } from './contents.ts'
import { fetchPackage, pinOf } from './fetch-package.ts'
import type { BuiltPackage } from './list-packages.ts'

/** Where the two builds write which packages they contain. */
const BUILDS = { server: 'dist/packages.json', dashboard: 'dashboard/dist/packages.json' }

interface Component extends BuiltPackage {
  license: string
  integrity: string | undefined
  /** In which part of the release it is. */
  parts: string[]
}

/** All packages that something of is in the release, by name. */
export function listComponents(architectures: Architecture[]): Component[] {
  const components = new Map<string, Component>()
  const add = (each: BuiltPackage, part: string, license: string) => {
    const key = `${each.name}@${each.version}`
    const known = components.get(key)
    if (known) known.parts.push(part)
    else components.set(key, { ...each, license, integrity: integrityOf(each), parts: [part] })
  }
  for (const [part, file] of Object.entries(BUILDS)) {
    for (const each of JSON.parse(readFileSync(file, 'utf8')) as BuiltPackage[]) add(each, part, licenseOf(each))
  }
  for (const architecture of architectures) {
    for (const name of [...nativePackages(architecture), runtimePackage(architecture)]) {
      add({ name, version: pinOf(name).version }, `linux-${architecture}`, licenseOfPacked(name))
    }
  }
  return [...components].toSorted(([one], [other]) => (one < other ? -1 : 1)).map(([, each]) => each)
}

interface Described {
  license?: string | { type?: string }
}

const nameLicense = ({ license }: Described): string =>
  (typeof license === 'string' ? license : license?.type) ?? 'NOASSERTION'

function licenseOf({ name }: BuiltPackage): string {
  const file = join('node_modules', name, 'package.json')
  return existsSync(file) ? nameLicense(JSON.parse(readFileSync(file, 'utf8')) as Described) : 'NOASSERTION'
}

function licenseOfPacked(name: string): string {
  const file = fetchPackage(name).find(({ path }) => path === 'package.json')?.content
  return file ? nameLicense(JSON.parse(file.toString('utf8')) as Described) : 'NOASSERTION'
}

function integrityOf({ name, version }: BuiltPackage): string | undefined {
  try {
    const pinned = pinOf(name)
    return pinned.version === version ? pinned.integrity : undefined
  } catch {
    return undefined
  }
}

const urlOf = ({ name, version }: BuiltPackage): string => `pkg:npm/${name.replace('@', '%40')}@${version}`

/** The list of components in the format CycloneDX 1.6. */
export function writeSbom(version: string, time: number, components: Component[]): string {
  const body = {
    metadata: {
      timestamp: new Date(time * 1000).toISOString(),
      component: {
        type: 'application',
        'bom-ref': urlOf({ name: 'latchkey', version }),
        name: 'latchkey',
        version,
        purl: urlOf({ name: 'latchkey', version }),
        licenses: [{ license: { id: 'Apache-2.0' } }],
      },
    },
    components: components.map((each) => ({
      type: each.name.startsWith('node-linux-') ? 'platform' : 'library',
      'bom-ref': urlOf(each),
      name: each.name,
      version: each.version,
      purl: urlOf(each),
      licenses: [{ expression: each.license }],
      ...(each.integrity === undefined ? {} : { hashes: [toHash(each.integrity)] }),
      properties: [...new Set(each.parts)].map((value) => ({ name: 'latchkey:part', value })),
    })),
  }
  // A random serial number would make every build different.
  const digest = createHash('sha256').update(JSON.stringify(body)).digest('hex')
  const serial = `${digest.slice(0, 8)}-${digest.slice(8, 12)}-5${digest.slice(13, 16)}-8${digest.slice(17, 20)}-${digest.slice(20, 32)}`
  const head = { bomFormat: 'CycloneDX', specVersion: '1.6', serialNumber: `urn:uuid:${serial}`, version: 1 }
  return `${JSON.stringify({ ...head, ...body }, null, 2)}\n`
}

const toHash = (integrity: string) => ({
  alg: 'SHA-512',
  content: Buffer.from(integrity.replace('sha512-', ''), 'base64').toString('hex'),
})
