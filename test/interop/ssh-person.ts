import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import type { Config } from '../../src/config/config.ts'
import { startApp, type TestApp } from '../support/app.ts'
import type { Person } from '../support/people.ts'
import { freePort } from '../support/postgres.ts'
import { REAL_CLOCK, until } from '../support/replicas.ts'
import { ACCOUNT, findProgram, startSshd, temporaryFolder } from './openssh.ts'

const refuseToMove = () => assert.fail('The real clock can’t be moved.')

/** The service on a real port with the real clock, and a real sshd that trusts its certificates. */
export async function startService(t: TestContext, config: Partial<Config> = {}) {
  const port = await freePort()
  const baseUrl = `http://127.0.0.1:${port}`
  const clock = { ...REAL_CLOCK, advance: refuseToMove, adjust: refuseToMove }
  const app = await startApp(t, {
    config: { baseUrl, sshHostPatterns: ['127.0.0.1', '*.test.example'], ...config },
    clock,
  })
  await app.app.listen({ port, host: '127.0.0.1' })
  const folder = temporaryFolder(t)
  const files = { trusted: join(folder, 'trusted'), revoked: join(folder, 'revoked') }
  const sync = async () => {
    writeFileSync(files.trusted, (await app.app.inject('/ssh/ca.pub')).rawPayload)
    writeFileSync(files.revoked, (await app.app.inject('/ssh/krl?format=krl')).rawPayload)
  }
  await sync()
  return { app, baseUrl, sync, sshd: await startSshd(t, files) }
}

/** How many requests the service has answered. */
export const countRequests = (app: TestApp, path = ''): number =>
  app
    .logged()
    .split('\n')
    .filter((line) => line.includes('"route"') && line.includes(path)).length

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

export function newHome(t: TestContext, environment: Record<string, string> = {}): Home {
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

const CODE = /enter the code ([A-Z]{4}-[A-Z]{4})/

/** Waits until a program shows its code, and decides about it as the person. */
export async function decideShown(running: Running, person: Person, approve = true): Promise<void> {
  await until(async () => CODE.test(running.output()) || running.child.exitCode !== null)
  const [, user_code] = CODE.exec(running.output()) ?? assert.fail(`No code was shown: ${running.output()}`)
  const answer = await person.post('/oauth/device/approve', { user_code, approve })
  assert.equal(answer.statusCode, 200, answer.body)
}

/** Installs the program by the script of the server. */
export async function install(home: Home, app: TestApp, shell = ['sh']): Promise<Result> {
  const file = join(home.folder, '..', 'client-setup.sh')
  writeFileSync(file, (await app.app.inject('/ssh/client-setup.sh')).body)
  const [command = 'sh', ...args] = shell
  const result = await home.run(command, ...args, file)
  assert.equal(result.code, 0, result.output)
  return result
}

export async function logIn(home: Home, person: Person, ...options: string[]): Promise<Result> {
  const running = home.start(home.bin, 'login', ...options)
  await decideShown(running, person)
  const result = await running.ended
  assert.equal(result.code, 0, result.output)
  return result
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
export async function startAgent(t: TestContext): Promise<string> {
  const socket = join(temporaryFolder(t), 'agent')
  const child = spawn(findProgram('ssh-agent'), ['-D', '-a', socket], { stdio: ['ignore', 'pipe', 'ignore'] })
  t.after(() => void child.kill())
  await once(child.stdout, 'data')
  return socket
}
