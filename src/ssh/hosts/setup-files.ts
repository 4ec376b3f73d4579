import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Config } from '../../platform/config/config.ts'
import { formatPublicKey } from '../../platform/openssh/public-key.ts'
import type { Services } from '../../platform/services.ts'
import { ROOT_FOLDER } from '../../root-folder.ts'

const FOLDER = join(ROOT_FOLDER, 'deploy/ssh-host')
const FILES = ['latchkey-ssh-sync', 'latchkey-ssh-sync.service', 'latchkey-ssh-sync.timer']
const PROGRAM = join(ROOT_FOLDER, 'deploy/ssh-client/latchkey-ssh')
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
cat >"$program.new" <<'${END}'
${program}${END}
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

/** Quotes any text as one word of the shell. */
const quote = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`
