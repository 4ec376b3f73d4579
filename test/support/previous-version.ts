import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { leftOut } from './left-out.ts'

const ROOT = join(import.meta.dirname, '../..')

/** The last commit of 0.2, the release before. This version must be able to run beside it, and to upgrade its data. */
const COMMIT = 'ae9d5ae7d658b24cb0d196f694388ba5d411115a'

// It never asks for a password.
const git = (...args: string[]) =>
  spawnSync('git', args, {
    cwd: ROOT,
    encoding: 'utf8',
    env: { ...process.env, GIT_TERMINAL_PROMPT: '0' },
    timeout: 60_000,
  })

const isHere = (): boolean => git('cat-file', '-e', `${COMMIT}^{commit}`).status === 0

/** A shallow clone has it after one request to where it was cloned from. */
const fetchIt = (): boolean =>
  git('fetch', '--quiet', '--no-tags', '--depth=1', 'origin', COMMIT).status === 0 && isHere()

const isMissing = !isHere() && !fetchIt()

/** Why the version before can't be had here: a download of the sources has no history. */
export const skip: string | false =
  isMissing && leftOut(`The commit ${COMMIT} is not here: clone the repository with its history.`)

let extracted: string | undefined

/** The folder with the sources of the version before, which use the packages of this one. */
export function previousVersion(): string {
  if (extracted !== undefined) return extracted
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-previous-'))
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }))
  const archive = execFileSync('git', ['archive', COMMIT, 'src', 'bin', 'deploy', 'package.json'], {
    cwd: ROOT,
    maxBuffer: 1 << 28,
  })
  execFileSync('tar', ['-x', '-C', folder], { input: archive })
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'))
  extracted = folder
  return folder
}
