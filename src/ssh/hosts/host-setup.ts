import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT_FOLDER } from '../../root-folder.ts'

const FOLDER = join(ROOT_FOLDER, 'deploy/ssh-host')
const FILES = ['latchkey-ssh-sync', 'latchkey-ssh-sync.service', 'latchkey-ssh-sync.timer']
const END = 'END_OF_LATCHKEY_FILE'

/**
 * The installer of deploy/ssh-host and the files beside it, as one script for `curl … | sh`. All of it is in one
 * function that the last line calls, so that nothing of an incomplete download is run.
 */
export function writeHostSetup(baseUrl: string): string {
  const files = FILES.map((name) => `cat >"$files/${name}" <<'${END}'\n${read(name)}${END}\n`)
  return [
    '#!/bin/sh',
    `# Makes this host trust the SSH certificates of ${baseUrl}. Run it as root.`,
    'set_up() {',
    'set -eu',
    'files=$(mktemp -d)',
    `trap 'rm -rf "$files"' EXIT`,
    ...files,
    `cat >"$files/install.sh" <<'${END}'\n${read('install.sh')}${END}\n`,
    // A token that the line before this script has set. It is passed on in the environment, never as an argument.
    `LATCHKEY_ENROLLMENT=\${LATCHKEY_ENROLLMENT:-} LATCHKEY_URL=\${LATCHKEY_URL:-${quote(baseUrl)}} sh "$files/install.sh"`,
    '}',
    'set_up',
    '',
  ].join('\n')
}

const read = (name: string): string => readFileSync(join(FOLDER, name), 'utf8')

/** Quotes any text as one word of the shell. */
export const quote = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`
