import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { ACCOUNT, findProgram, temporaryFolder } from './openssh.ts'

export interface Result {
  code: number | null
  output: string
  ms: number
}

export interface Running {
  child: ChildProcess
  output(): string
  ended: Promise<Result>
}

/** Somebody's home folder, and programs that run in it. */
export interface Home {
  folder: string
  bin: string
  environment: Record<string, string>
  start(command: string, ...args: string[]): Running
  run(command: string, ...args: string[]): Promise<Result>
  /** On a terminal: what it prints to standard error goes there. */
  onTerminal(command: string): Running
  /** Puts a program before the real one of that name. */
  replace(name: string, script: string): void
}

export function newHome(t: Pick<TestContext, 'after'>, environment: Record<string, string> = {}): Home {
  const folder = join(temporaryFolder(t), 'home')
  const replaced = join(temporaryFolder(t), 'bin')
  mkdirSync(folder)
  mkdirSync(replaced)
  const bin = join(folder, '.local/bin/latchkey-ssh')
  const env = { PATH: `${replaced}:${process.env['PATH']}`, HOME: folder, SHELL: '/bin/sh', ...environment }

  const start = (command: string, ...args: string[]): Running => {
    const started = performance.now()
    const child = spawn(command, args, { env, stdio: ['ignore', 'pipe', 'pipe'] })
    let output = ''
    const add = (chunk: Buffer) => (output += chunk.toString())
    child.stdout.on('data', add)
    child.stderr.on('data', add)
    t.after(() => void child.kill('SIGKILL'))
    const ended = once(child, 'close').then(([code]) => ({
      code: code as number | null,
      output,
      ms: performance.now() - started,
    }))
    return { child, output: () => output, ended }
  }
  return {
    folder,
    bin,
    environment: env,
    start,
    run: (command, ...args) => start(command, ...args).ended,
    onTerminal: (command) => start('script', '-qec', command, '/dev/null'),
    replace(name, script) {
      writeFileSync(join(replaced, name), `#!/bin/sh\n${script}\n`)
      chmodSync(join(replaced, name), 0o755)
    },
  }
}

/** Logs in to the test's own account with the person's configuration. */
export const ssh = (home: Home, port: number, ...options: string[]): Promise<Result> =>
  home.run(
    findProgram('ssh'),
    '-F',
    join(home.folder, '.ssh/config'),
    '-p',
    String(port),
    ...['BatchMode=yes', 'StrictHostKeyChecking=no', 'LogLevel=ERROR', ...options].flatMap((each) => ['-o', each]),
    `${ACCOUNT}@127.0.0.1`,
    'echo in',
  )

/** An agent of this test. Returns the address of its socket. */
export async function startAgent(t: Pick<TestContext, 'after'>): Promise<string> {
  const socket = join(temporaryFolder(t), 'agent')
  const child = spawn(findProgram('ssh-agent'), ['-D', '-a', socket], { stdio: ['ignore', 'pipe', 'ignore'] })
  t.after(() => void child.kill())
  await once(child.stdout, 'data')
  return socket
}
