import { globSync, mkdirSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'

/** Their files start services in separate processes and wait for them, so each file has a process of its own. */
const NOT_GROUPED = new Set(['cli', 'faults', 'load', 'process', 'release', 'third-party'])

/**
 * Lets the test files of one folder of `test/` run in one process, because loading the service takes longer than the tests of most
 * files. Returns what to run: files that import those of a folder, and the files that are not grouped.
 */
export function groupTests(into: string): string[] {
  const groups = Map.groupBy(globSync('test/**/*.test.ts').toSorted(), (file) => file.split('/')[1] ?? '')
  mkdirSync(into)
  return [...groups].flatMap(([folder, files]) => {
    if (NOT_GROUPED.has(folder)) return files
    const group = join(into, `${folder}.test.mjs`)
    const imports = files.map((file) => `await import(${JSON.stringify(pathToFileURL(resolve(file)).href)})\n`)
    writeFileSync(group, imports.join(''))
    return [group]
  })
}
