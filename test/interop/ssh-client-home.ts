import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer, request } from 'node:http'
import { delimiter, join } from 'node:path'
import type { TestContext } from 'node:test'
import { startApp } from '../support/app.ts'
import { createClock } from '../support/clock.ts'
import { freePort } from '../support/free-port.ts'
import { type Home, newHome, startAgent } from './home.ts'
import { ACCOUNT, temporaryFolder } from './openssh.ts'
import { signInSshUser } from './sign-in-ssh-user.ts'
import { install, logIn, startService } from './ssh-person.ts'

export const read = (home: Home, path: string) => readFileSync(join(home.folder, path), 'utf8')

/** Where the program keeps what belongs to a server: the only one, or the one at this address. */
export function stateFolder(home: Home, baseUrl?: string): string {
  const all = join(home.folder, '.ssh/latchkey')
  if (baseUrl !== undefined) return join(all, new URL(baseUrl).host.replaceAll(':', '_'))
  const [only, ...more] = readdirSync(all).filter((name) => existsSync(join(all, name, 'server')))
  assert.ok(only !== undefined && more.length === 0, 'There is one server.')
  return join(all, only)
}

export const readState = (home: Home, name: string, baseUrl?: string): string =>
  readFileSync(join(stateFolder(home, baseUrl), name), 'utf8')

export const inAgent = async (home: Home) =>
  (await home.run('ssh-add', '-L')).output
    .trim()
    .split('\n')
    .filter((line) => line.startsWith('ssh-'))

/** Makes the certificate look as if it expired soon. */
export function age(home: Home, baseUrl?: string): void {
  const [issued, , holder] = readState(home, 'certificate', baseUrl).split('\n')
  const soon = Math.floor(Date.now() / 1000) + 60
  writeFileSync(join(stateFolder(home, baseUrl), 'certificate'), `${issued}\n${soon}\n${holder}\n`)
}

/** A person with an agent who has installed the program and signed in. */
export async function signedIn(t: TestContext) {
  const service = await startService(t)
  const home = newHome(t, { SSH_AUTH_SOCK: await startAgent(t) })
  const person = await signInSshUser(service.app)
  await install(home, service.app)
  await logIn(home, person)
  return { ...service, home, person }
}

/** The answer to a request that is never answered. */
export const NEVER = 0

interface Front {
  patterns?: string[]
  /** Gets each request: its line, its headers and its body. */
  seen?: (request: string) => void
}

/** A server whose answers to some paths are given, and that passes every other request on. */
export async function startFront(
  t: TestContext,
  answers: Record<string, string | Buffer | number>,
  { patterns = ['*.test.example'], seen }: Front = {},
) {
  const port = await freePort()
  const baseUrl = `http://127.0.0.1:${port}`
  const app = await startApp(t, {
    config: { baseUrl, sshHostPatterns: patterns },
    clock: createClock(Date.now()),
  })
  const behind = await app.listen()
  const server = createServer((incoming, outgoing) => {
    const { method, headers } = incoming
    if (seen) {
      let body = ''
      incoming.on('data', (chunk: Buffer) => (body += chunk.toString()))
      incoming.on('end', () => seen(`${method} ${incoming.url} ${JSON.stringify(headers)} ${body}`))
    }
    const answer = answers[incoming.url ?? '']
    if (answer === NEVER) return undefined
    if (typeof answer === 'number') return outgoing.writeHead(answer).end()
    if (answer !== undefined) return outgoing.end(answer)
    return incoming.pipe(
      request(`${behind}${incoming.url}`, { method, headers }, (response) => {
        outgoing.writeHead(response.statusCode ?? 502, response.headers)
        response.pipe(outgoing)
      }),
    )
  }).listen(port, '127.0.0.1')
  t.after(() => {
    server.close()
    server.closeAllConnections()
  })
  return app
}

/** The clock of the person’s machine goes on. */
export const advance = (home: Home, seconds: number) => home.replace('date', `echo $(($(/bin/date +%s) + ${seconds}))`)

export const certificateOf = (home: Home) => readState(home, 'id-cert.pub')

/** A person with an agent, signed in to a server whose answers can be replaced. */
export async function behindFront(t: TestContext) {
  const answers: Record<string, string | Buffer | number> = {}
  const requests: string[] = []
  const app = await startFront(t, answers, { seen: (request) => requests.push(request.split(' ', 2).join(' ')) })
  const home = newHome(t, { SSH_AUTH_SOCK: await startAgent(t) })
  const person = await signInSshUser(app)
  await install(home, app)
  await logIn(home, person)
  return { answers, requests, app, home, person }
}

export const sshLine = (home: Home, port: number) =>
  `ssh -F ${home.folder}/.ssh/config -p ${port} -o StrictHostKeyChecking=no -o BatchMode=yes ${ACCOUNT}@127.0.0.1 echo in`

/** A folder with all programs of this machine but one. */
export function pathWithout(t: TestContext, program: string): string {
  const folder = temporaryFolder(t)
  for (const each of (process.env['PATH'] ?? '').split(delimiter).filter((path) => existsSync(path)))
    for (const name of readdirSync(each))
      if (name !== program && !existsSync(join(folder, name))) symlinkSync(join(each, name), join(folder, name))
  return folder
}
