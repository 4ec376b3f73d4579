import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import type { Config } from '../../src/platform/config/config.ts'
import { startApp, type TestApp } from '../support/app.ts'
import { freePort } from '../support/free-port.ts'
import type { Person } from '../support/people.ts'
import { REAL_CLOCK, until } from '../support/replicas.ts'
import type { Home, Result, Running } from './home.ts'
import { startSshd, temporaryFolder } from './openssh.ts'

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
