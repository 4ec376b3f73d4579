import { existsSync, globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Fetched, fetchSoftware, type Source } from '../../scripts/third-party-software.ts'
import { leftOut } from '../support/left-out.ts'

/**
 * Fetches what a test file runs. Without it the tests are skipped and say why; a build server must have it.
 */
export async function needs(source: Source): Promise<{ folder: string; skip: string | false }> {
  const { folder, missing }: Fetched = await fetchSoftware(source)
  return { folder: folder ?? '', skip: missing !== undefined && leftOut(missing) }
}

/** Suites are named with it, and so are the rows of docs/applications/matrix.md. */
export function npmName(folder: string, name: string): string {
  if (folder === '') return name
  const file = join(folder, 'node_modules', name, 'package.json')
  return `${name} ${(JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version}`
}

/** The name of the software, and the version of the distribution's package without its own number. */
export function debianName(folder: string, name: string, packageName: string): string {
  const [file = ''] = globSync(`${packageName}_*.deb`, { cwd: folder })
  const version = /_(?:\d+(?:%3a|:))?([^-+~_]+)/.exec(file)?.[1]
  return version === undefined ? name : `${name} ${version}`
}

/** A program of the unpacked packages, or the installed one that they depend on. */
export const debianProgram = (folder: string, path: string): string =>
  existsSync(join(folder, path)) ? join(folder, path) : join('/', path)

/** Lets programs find the libraries and modules that were unpacked with them. */
export const debianEnvironment = (folder: string): Record<string, string> => ({
  LD_LIBRARY_PATH: globSync('{usr/,}lib/*-linux-gnu*', { cwd: folder })
    .map((path) => join(folder, path))
    .join(':'),
  PYTHONPATH: join(folder, 'usr/lib/python3/dist-packages'),
  PYTHONDONTWRITEBYTECODE: '1',
})
