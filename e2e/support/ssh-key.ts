import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { newFolder } from './folder.ts'

/** Creates a key pair with ssh-keygen. */
export function makeKey(comment: string): { folder: string; publicKey: string } {
  const folder = newFolder('key')
  const file = join(folder, 'id_ed25519')
  execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-C', comment, '-f', file])
  return { folder, publicKey: readFileSync(`${file}.pub`, 'utf8').trim() }
}
