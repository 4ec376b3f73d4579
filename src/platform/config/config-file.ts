import { existsSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parseEnv } from 'node:util'
import { StartError } from '../../errors.ts'
import { hintForUnknown } from './misspelt.ts'
import { isSetting } from './secret-files.ts'

/** Where packages put the settings. */
const SYSTEM_FILE = '/etc/latchkey/latchkey.env'

/** The file that settings are read from: the given one, `.env` in the working folder, or that of the package. */
export function findSettingsFile(folder: string, given?: string): string | undefined {
  if (given !== undefined) return resolve(folder, given)
  return [join(folder, '.env'), SYSTEM_FILE].find((file) => existsSync(file))
}

/**
 * What the file sets. Everything in it was meant for this service, so that a name it does not know and a line that sets
 * nothing are mistakes, and stop the start.
 */
export function readSettingsFile(file: string): Record<string, string | undefined> {
  const text = readText(file)
  const problem = findProblem(text)
  if (problem) throw new StartError(`Line ${problem.line} of ${file} ${problem.says}`)
  return parseEnv(text)
}

function readText(file: string): string {
  try {
    // Some editors put a byte order mark first, which would become part of the first name.
    return readFileSync(file, 'utf8').replace(/^\uFEFF/, '')
  } catch (error) {
    throw new StartError(`${file} can't be read: ${(error as Error).message}.`)
  }
}

const NOTHING = /^\s*(#.*)?$/
const ASSIGNMENT = /^\s*(?:export +)?([A-Za-z_][A-Za-z0-9_]*)\s*=\s*(.*)$/
const QUOTE = /^["'`]/

/** The first line that is wrong. What it holds is not repeated: it may be a secret. */
function findProblem(text: string): { line: number; says: string } | undefined {
  const lines = text.split(/\r?\n/)
  for (let at = 0; at < lines.length; at++) {
    const line = at + 1
    if (NOTHING.test(lines[at] ?? '')) continue
    const [, name, value = ''] = ASSIGNMENT.exec(lines[at] ?? '') ?? []
    if (name === undefined) return { line, says: 'is no assignment: it must be NAME=value, or begin with #.' }
    if (!isSetting(name)) {
      return { line, says: `sets ${name}, but there is no such setting. ${hintForUnknown(name)}` }
    }
    const [quote] = QUOTE.exec(value) ?? []
    if (quote === undefined) continue
    // A quoted value may go over several lines.
    let rest = value.slice(1)
    while (!rest.includes(quote) && at + 1 < lines.length) rest = lines[++at] ?? ''
    if (!rest.includes(quote)) return { line, says: `sets ${name} to a value whose quote is never closed.` }
    if (!NOTHING.test(rest.slice(rest.indexOf(quote) + 1))) {
      return { line, says: `sets ${name} to a value that goes on after its closing quote.` }
    }
  }
  return undefined
}
