import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { sshKeygen, temporaryFolder } from './openssh.ts'

export const SCRIPTS = join(import.meta.dirname, '../../deploy/ssh-host')
export const SYNC = join(SCRIPTS, 'latchkey-ssh-sync')

interface Result {
  code: number
  output: string
}

export function run(command: string, args: string[], environment: Record<string, string>): Promise<Result> {
  const env = { PATH: process.env['PATH'], ...environment }
  return new Promise((resolve) => {
    execFile(command, args, { env }, (error, stdout, stderr) => {
      resolve({ code: error ? Number(error.code) : 0, output: stdout + stderr })
    })
  })
}

/** The part of a host's file system that the scripts use. */
export function newRoot(t: TestContext): string {
  const root = temporaryFolder(t)
  mkdirSync(join(root, 'etc/ssh'), { recursive: true })
  writeFileSync(join(root, 'etc/ssh/sshd_config'), 'Include /etc/ssh/sshd_config.d/*.conf\nUsePAM yes\n')
  return root
}

export const sync = (root: string, url: string) => run(SYNC, [], { LATCHKEY_ROOT: root, LATCHKEY_URL: url })
export const install = (root: string, url: string) =>
  run('sh', [join(SCRIPTS, 'install.sh')], { LATCHKEY_ROOT: root, LATCHKEY_URL: url })
export const inEtcSsh = (root: string) =>
  readdirSync(join(root, 'etc/ssh'))
    .filter((name) => name !== 'sshd_config')
    .toSorted()
export const read = (root: string, path: string) => readFileSync(join(root, path))

/** The keys that a host has before Latchkey comes. */
export function newHostKeys(root: string, types = ['ed25519', 'rsa']): void {
  // The size counts for RSA alone, whose larger keys take half a second to find.
  for (const type of types)
    sshKeygen('-q', '-t', type, '-b', '2048', '-N', '', '-f', join(root, `etc/ssh/ssh_host_${type}_key`))
}

/**
 * Runs what starts scripts, and kills all of their processes in place of the given call of one of these programs. Returns false where
 * there were fewer calls.
 */
export async function killAtCall(
  t: TestContext,
  programs: string[],
  call: number,
  start: (environment: Record<string, string>) => Promise<Result>,
): Promise<boolean> {
  const folder = temporaryFolder(t)
  const [calls, killed] = [join(folder, 'calls'), join(folder, 'killed')]
  writeFileSync(calls, '')
  const script = `#!/bin/sh
echo >>${calls}
calls=0
while read -r _; do calls=$((calls + 1)); done <${calls}
if [ "$calls" -eq ${call} ]; then
  : >${killed}
  # Everything that was started by the shell of the test, the nearest first.
  pid=$$
  parents=
  while [ "$pid" -ne "$KILL_BELOW" ] && [ "$pid" -gt 1 ]; do
    pid=$(sed -n 's/^PPid:[[:space:]]*//p' "/proc/$pid/status")
    [ "$pid" -eq "$KILL_BELOW" ] || parents="$parents $pid"
  done
  kill -KILL $parents
  exit 1
fi
PATH=\${PATH#*:} exec "\${0##*/}" "$@"
`
  for (const program of programs) writeFileSync(join(folder, program), script, { mode: 0o755 })
  const environment = { PATH: `${folder}:${process.env['PATH']}`, KILL_BELOW: String(process.pid) }
  await start(environment)
  return existsSync(killed)
}

/** A server with the given answers, on a free port. */
export async function startFakeServer(t: TestContext, answer: RequestListener): Promise<string> {
  const server = createServer(answer).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => server.close())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}
