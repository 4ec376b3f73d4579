import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { sshKeygen } from './ssh-keygen.ts'

/** OpenSSH's own security key for tests: a library that signs without a device. On Debian it is in `openssh-tests`. */
export const SK_DUMMY = '/usr/lib/openssh/regress/misc/sk-dummy/sk-dummy.so'

/** A key in that security key: the path of its handle, and the line of the public key. */
export function newSecurityKey(
  folder: string,
  name: string,
  ...options: string[]
): { path: string; publicKey: string } {
  const path = join(folder, name)
  sshKeygen('-q', '-t', 'ed25519-sk', '-w', SK_DUMMY, '-N', '', '-C', name, '-f', path, ...options)
  return { path, publicKey: readFileSync(`${path}.pub`, 'utf8').trim() }
}
