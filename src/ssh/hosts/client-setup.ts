import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Config } from '../../platform/config/config.ts'
import { VERSION } from '../../platform/config/version.ts'
import { ROOT_FOLDER } from '../../root-folder.ts'
import { FILE_END, quote } from './shell-words.ts'

const PROGRAM = join(ROOT_FOLDER, 'deploy/ssh-client/latchkey-ssh')

/**
 * Installs `latchkey-ssh` for the person who runs it, or adds this server to those that it knows, as one script for
 * `curl … | sh`. As with the setup of hosts, all of it is in one function that the last line calls, so that nothing of an
 * incomplete download is run. The program that the script contains does the rest; it reads `url` and `version` of a script that
 * it gets to replace itself.
 */
export function writeClientSetup({ baseUrl, sshHostPatterns }: Pick<Config, 'baseUrl' | 'sshHostPatterns'>): string {
  const program = readFileSync(PROGRAM, 'utf8').replace("\nversion=''\n", () => `\nversion=${quote(VERSION)}\n`)
  return `#!/bin/sh
# Installs latchkey-ssh, which gets SSH certificates of ${baseUrl}, for the person who runs this.
set_up() {
set -eu
url=${quote(baseUrl)}
patterns=${quote(sshHostPatterns.join(','))}
files=$(mktemp -d)
trap 'rm -rf "$files"' EXIT
trap 'exit 1' HUP INT TERM
cat >"$files/latchkey-ssh" <<'${FILE_END}'
${program}${FILE_END}
sh "$files/latchkey-ssh" install "$url" "$patterns" </dev/null
}
set_up
`
}
