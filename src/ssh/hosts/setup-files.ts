import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { formatPublicKey } from '../../platform/openssh/public-key.ts'
import type { Services } from '../../platform/services.ts'
import { ROOT_FOLDER } from '../../root-folder.ts'
import { FILE_END, quote } from './shell-words.ts'

const FOLDER = join(ROOT_FOLDER, 'deploy/ssh-host')
const FILES = [
  'latchkey-ssh-ca',
  'latchkey-ssh-session',
  'latchkey-ssh-accounts',
  'latchkey-ssh-accounts.service',
  'latchkey-ssh-sync',
  'latchkey-ssh-sync.service',
  'latchkey-ssh-sync.timer',
]

/**
 * The installer of deploy/ssh-host and the files beside it, as one script for `curl … | sh`. All of it is in one
 * function that the last line calls, so that nothing of an incomplete download is run.
 */
export function writeHostSetup(baseUrl: string): string {
  const files = FILES.map((name) => `cat >"$files/${name}" <<'${FILE_END}'\n${read(name)}${FILE_END}\n`)
  return [
    '#!/bin/sh',
    `# Makes this host trust the SSH certificates of ${baseUrl}. Run it as root.`,
    'set_up() {',
    'set -eu',
    'files=$(mktemp -d)',
    `trap 'rm -rf "$files"' EXIT`,
    ...files,
    `cat >"$files/install.sh" <<'${FILE_END}'\n${read('install.sh')}${FILE_END}\n`,
    // A token that the line before this script has set. It is passed on in the environment, never as an argument.
    `LATCHKEY_ENROLLMENT=\${LATCHKEY_ENROLLMENT:-} LATCHKEY_URL=\${LATCHKEY_URL:-${quote(baseUrl)}} sh "$files/install.sh" "$@"`,
    '}',
    'set_up "$@"',
    '',
  ].join('\n')
}

/**
 * The lines of a known_hosts file that make ssh trust the certificates of our hosts (sshd(8), SSH_KNOWN_HOSTS FILE FORMAT). While the
 * authority is being replaced there is a line for each of its keys.
 */
export function writeKnownHosts({ config, sshHostCa }: Pick<Services, 'config' | 'sshHostCa'>): string {
  const { baseUrl, sshHostPatterns } = config
  const comment = `ssh-host-ca@${new URL(baseUrl).hostname}`
  const keys = sshHostCa.trusted().map(({ blob }) => formatPublicKey(blob, comment))
  if (sshHostPatterns.length === 0) {
    return `# ${baseUrl} names no hosts: SSH_HOST_PATTERNS is not set.\n${keys.map((key) => `# The key of its host CA is: ${key}\n`).join('')}`
  }
  const lines = keys.map((key) => `@cert-authority ${sshHostPatterns.join(',')} ${key}\n`)
  return `# Hosts of ${baseUrl}\n${lines.join('')}`
}

const read = (name: string): string => readFileSync(join(FOLDER, name), 'utf8')
