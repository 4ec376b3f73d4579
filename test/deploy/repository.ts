import { readFileSync } from 'node:fs'
import { join } from 'node:path'

export const ROOT = join(import.meta.dirname, '../..')

export const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8')

/** The first group of every match of the pattern. */
export const matchesIn = (text: string, pattern: RegExp): string[] =>
  [...text.matchAll(pattern)].map((match) => match[1] ?? '')
