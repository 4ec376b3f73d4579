import { readFileSync, writeFileSync } from 'node:fs'
import { createServer, request } from 'node:http'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { startApp } from '../support/app.ts'
import { createClock } from '../support/clock.ts'
import { freePort } from '../support/free-port.ts'
import { type Home, newHome, startAgent } from './home.ts'
import { signInSshUser } from './sign-in-ssh-user.ts'
import { install, logIn, startService } from './ssh-person.ts'

export const read = (home: Home, path: string) => readFileSync(join(home.folder, path), 'utf8')
export const inAgent = async (home: Home) =>
  (await home.run('ssh-add', '-L')).output
    .trim()
    .split('\n')
    .filter((line) => line.startsWith('ssh-'))

/** Makes the certificate look as if it expired soon. */
export function age(home: Home): void {
  const [issued] = read(home, '.ssh/latchkey/certificate').split('\n')
  const holder = read(home, '.ssh/latchkey/certificate').split('\n')[2] ?? ''
  const soon = Math.floor(Date.now() / 1000) + 60
  writeFileSync(join(home.folder, '.ssh/latchkey/certificate'), `${issued}\n${soon}\n${holder}\n`)
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

/** A server whose answers to some paths are given, and that passes every other request on. */
export async function startFront(t: TestContext, answers: Record<string, string | Buffer>) {
  const port = await freePort()
  const baseUrl = `http://127.0.0.1:${port}`
  const app = await startApp(t, {
    config: { baseUrl, sshHostPatterns: ['*.test.example'] },
    clock: createClock(Date.now()),
  })
  const behind = await app.listen()
  const server = createServer((incoming, outgoing) => {
    const answer = answers[incoming.url ?? '']
    if (answer !== undefined) return outgoing.end(answer)
    const { method, headers } = incoming
    return incoming.pipe(
      request(`${behind}${incoming.url}`, { method, headers }, (response) => {
        outgoing.writeHead(response.statusCode ?? 502, response.headers)
        response.pipe(outgoing)
      }),
    )
  }).listen(port, '127.0.0.1')
  t.after(() => server.close())
  return app
}
