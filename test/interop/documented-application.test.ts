import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { registerApplication } from '../support/application.ts'
import { freePort } from '../support/free-port.ts'
import { browser, realProvider } from './provider.ts'

const ROOT = join(import.meta.dirname, '../..')
const guide = readFileSync(join(ROOT, 'docs/integrating-an-application.md'), 'utf8')
const example = /```js title=app\.mjs\n([\s\S]*?)```/.exec(guide)?.[1] ?? ''

const provider = realProvider('sqlite')

test('the application in the integration guide signs in, refreshes and signs out', async (t) => {
  const { app, issuer } = provider()
  const port = await freePort()
  const home = `http://localhost:${port}`
  const application = await registerApplication(app, {
    redirectUris: [`${home}/callback`],
    postLogoutRedirectUris: [`${home}/`],
  })
  const child = spawn(process.execPath, ['--input-type=module', '--eval', example], {
    cwd: ROOT,
    env: { ISSUER: issuer, CLIENT_ID: application.clientId, CLIENT_SECRET: application.secret, PORT: String(port) },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  t.after(async () => {
    child.kill()
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
  })
  await waitUntilListening(child, home)

  const person = await browser(provider())
  const locationAt = async (path: string) =>
    new URL((await fetch(new URL(path, home), { redirect: 'manual' })).headers.get('location') ?? '', home)
  const callback = await person.go(await locationAt('/login'))
  assert.equal(callback.origin + callback.pathname, `${home}/callback`)
  await locationAt(callback.href)
  assert.equal(await (await fetch(home)).text(), `Hello ${person.user.email}`)
  assert.equal((await locationAt('/refresh')).origin, home)
  assert.equal((await person.go(await locationAt('/logout'))).href, `${home}/`)
  assert.match(await (await fetch(home)).text(), /^Nobody/)
})

async function waitUntilListening(child: ChildProcess, home: string): Promise<void> {
  while (child.exitCode === null) {
    if (
      await fetch(home).then(
        () => true,
        () => false,
      )
    )
      return
    await setTimeout(20)
  }
  assert.fail('The application did not start.')
}
