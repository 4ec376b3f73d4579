import { execFileSync } from 'node:child_process'
import { cpSync, mkdtempSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'

/**
 * Copies these parts of a folder to a place where another account can read them, because the checkout may be in a private
 * folder. Tests that run at the same time may make the same copy: the first whole one stays.
 */
export function makeReadableCopy(folder: string, parts: string[], copy: string): void {
  const unfinished = mkdtempSync(`${copy}-`)
  for (const part of parts)
    cpSync(join(folder, part), join(unfinished, part), { recursive: true, verbatimSymlinks: true })
  execFileSync('chmod', ['-R', 'a+rX', unfinished])
  try {
    renameSync(unfinished, copy)
  } catch {
    rmSync(unfinished, { recursive: true, force: true })
  }
}
