import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** A package of which something is in a build. */
export interface BuiltPackage {
  name: string
  version: string
}

/** The packages that the given files are from, each once. Files of our own have none. */
export function listPackages(files: Iterable<string>): BuiltPackage[] {
  const packages = new Map<string, BuiltPackage>()
  for (const file of files) {
    const [, folder] = /^\0?(.*\/node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(file) ?? []
    if (folder === undefined || packages.has(folder) || !existsSync(join(folder, 'package.json'))) continue
    const { name, version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as BuiltPackage
    packages.set(folder, { name, version })
  }
  const unique = new Map([...packages.values()].map((each) => [`${each.name}@${each.version}`, each]))
  return [...unique].toSorted(([one], [other]) => (one < other ? -1 : 1)).map(([, each]) => each)
}
