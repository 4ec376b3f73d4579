import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Config } from '../../platform/config/config.ts'
import { ROOT_FOLDER } from '../../root-folder.ts'
import { FILE_END, quote } from './shell-words.ts'

const PROGRAM = join(ROOT_FOLDER, 'deploy/ssh-client/latchkey-ssh')

/**
 * Installs `latchkey-ssh` for the person who runs it, as one script for `curl … | sh`. As with the setup of hosts, all of it
 * is in one function that the last line calls, so that nothing of an incomplete download is run.
 */
export function writeClientSetup({ baseUrl, sshHostPatterns }: Pick<Config, 'baseUrl' | 'sshHostPatterns'>): string {
  const program = readFileSync(PROGRAM, 'utf8')
    .replace("\nurl=''\n", () => `\nurl=${quote(baseUrl)}\n`)
    .replace("\npatterns=''\n", () => `\npatterns=${quote(sshHostPatterns.join(','))}\n`)
  return `#!/bin/sh
# Installs latchkey-ssh, which gets SSH certificates of ${baseUrl}, for the person who runs this.
set_up() {
set -eu
say() { echo "latchkey-ssh: $*" >&2; }
for tool in curl ssh ssh-add ssh-keygen awk; do
  command -v "$tool" >/dev/null || { say "$tool is needed. Install it and run this again."; exit 1; }
done
# Uninstalling removes the folders that did not exist before, the innermost first.
made=
for each in "$HOME/.local" "$HOME/.local/bin" "$HOME/.ssh" "$HOME/.ssh/latchkey"; do
  [ -d "$each" ] || { (umask 077 && mkdir "$each"); made="$each
$made"; }
done
printf '%s' "$made" >>"$HOME/.ssh/latchkey/made-folders"
[ -e "$HOME/.ssh/config" ] || : >"$HOME/.ssh/latchkey/made-config"
program=$HOME/.local/bin/latchkey-ssh
cat >"$program.new" <<'${FILE_END}'
${program}${FILE_END}
chmod 0755 "$program.new"
mv -f "$program.new" "$program"
say "Installed as $program."
case ":$PATH:" in *":$HOME/.local/bin:"*) ;; *) say "Add $HOME/.local/bin to your PATH to run it by its name." ;; esac
${
  sshHostPatterns.length > 0
    ? ''
    : `say 'The server names no hosts (SSH_HOST_PATTERNS), so your ssh configuration is left alone. Run latchkey-ssh ensure before ssh.'\n`
}if [ -t 2 ]; then "$program" login; else say "Now run: $program login"; fi
}
set_up
`
}
