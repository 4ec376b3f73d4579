import assert from 'node:assert/strict'
import { once } from 'node:events'
import { after, before, beforeEach } from 'node:test'
import { type SmallApplication, startSmallApplication } from '../support/small-application.ts'
import { type SiteProxy, startSiteProxy, type SiteExample } from './site-proxy.ts'
import { type StandInLatchkey, startStandInLatchkey, VISITOR } from './stand-in-latchkey.ts'

export const HOST = 'wiki.example.com'
export const WIKI = `https://${HOST}`

/** Those of the example that is tested. */
export let latchkey: StandInLatchkey
export let application: SmallApplication
export let proxy: SiteProxy

/** Starts an example in front of an application, with a stand-in for Latchkey, for the tests of a group. */
export function startProxied(example: SiteExample): void {
  before(async () => {
    latchkey = await startStandInLatchkey()
    application = await startSmallApplication()
    proxy = await startSiteProxy(example, {
      latchkey: latchkey.address,
      application: application.address,
      others: [{ host: `${HOST}:8443`, application: application.address }],
    })
  })
  beforeEach(() => {
    latchkey.answer = { status: 200, headers: VISITOR }
    latchkey.asked.length = 0
    application.seen.length = 0
  })
  after(async () => {
    await proxy.stop()
    await latchkey.stop()
    await application.stop()
  })
}

/** Sends one request, and returns the answer with what reached the application by it: nothing, or one request. */
export async function visit(url: string, request?: Parameters<SiteProxy['send']>[1]) {
  application.seen.length = 0
  const answer = await proxy.send(url, request)
  assert.ok(application.seen.length <= 1, `${application.seen.length} requests reached the application.`)
  return { ...answer, seen: application.seen[0] }
}

/** Asks for another protocol. An answer of status 101 does not end, so only its beginning is read. */
export async function upgrade(upgrades: string[]) {
  application.seen.length = 0
  const socket = await proxy.open(HOST)
  const lines = [
    'GET /socket HTTP/1.1',
    `Host: ${HOST}`,
    'Connection: Upgrade, HTTP2-Settings',
    ...upgrades.map((each) => `Upgrade: ${each}`),
    'HTTP2-Settings: AAMAAABkAAQAAP__',
    'Sec-WebSocket-Version: 13',
    'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
  ]
  socket.write(`${lines.join('\r\n')}\r\n\r\n`)
  const [text] = (await once(socket, 'data')) as [Buffer]
  socket.destroy()
  return { status: Number(text.toString().split(' ')[1]), seen: [...application.seen] }
}

/** The path that Latchkey was asked about last. */
export function askedPath(): string {
  const headers = latchkey.asked.at(-1)?.headers
  return String(headers?.['x-original-url'] ?? headers?.['x-forwarded-uri'] ?? '').replace(WIKI, '')
}
