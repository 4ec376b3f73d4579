import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const ROOT = join(import.meta.dirname, '../..')

/**
 * The last commit of 0.1 whose tables differ from those of today. Once 0.2.0 is released, this is its tag: a release must be able to
 * run beside the one before, and to upgrade its data.
 */
const COMMIT = '968016954a639e03c8ff66bdf44cc37cd333fd0c'

const git = (...args: string[]) => spawnSync('git', args, { cwd: ROOT, encoding: 'utf8' })

/** Why the version before can't be had here: a download of the sources has no history. */
export const skip: string | false =
  git('cat-file', '-e', `${COMMIT}^{commit}`).status === 0 || process.env['CI'] === 'true'
    ? false
    : 'the history of the repository is not here'

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
