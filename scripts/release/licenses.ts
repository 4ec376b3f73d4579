import { existsSync, globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { BuiltPackage } from './list-packages.ts'

/** The licences of the packages in the bundle and the dashboard, whose texts must go with every copy. */
export function writeLicenses(packages: (BuiltPackage & { license: string })[]): string {
  const parts = packages.flatMap(({ name, version, license }) => {
    const folder = join('node_modules', name)
    if (!existsSync(folder)) return []
    const [file] = globSync('{licen[sc]e,LICEN[SC]E,Licen[sc]e}{,.*,-*}', { cwd: folder }).toSorted()
    const text = file === undefined ? '' : `\n${readFileSync(join(folder, file), 'utf8').trim()}\n`
    return [`${name} ${version} (${license})\n${text}`]
  })
  return `Latchkey contains parts of these packages.\n\n${parts.join(`\n${'-'.repeat(80)}\n\n`)}`
}
