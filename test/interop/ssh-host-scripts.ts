import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { temporaryFolder } from './openssh.ts'

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

/** A server with the given answers, on a free port. */
export async function startFakeServer(t: TestContext, answer: RequestListener): Promise<string> {
  const server = createServer(answer).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => server.close())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}
