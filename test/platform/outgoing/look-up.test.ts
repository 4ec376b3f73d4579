import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { createLookup } from '../../../src/platform/outgoing/look-up.ts'
import { createOutgoing } from '../../../src/platform/outgoing/outgoing.ts'
import { startNameServer } from './name-server.ts'
import { startReceiver } from './receiver.ts'

const NAMES = { 'receiver.test': ['127.0.0.1'], 'two.test': ['8.8.8.8', '10.0.0.1'], 'gone.test': [] }
const noSystem = () => assert.fail('The system was asked.')
const NO_FILE = '/nonexistent/hosts'

function hostsFile(t: TestContext, text: string): { path: string; write(text: string): void } {
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-hosts-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const path = join(folder, 'hosts')
  writeFileSync(path, text)
  return { path, write: (changed) => writeFileSync(path, changed) }
}

test('names are looked up at the name servers', async (t) => {
  const nameServers = [await startNameServer(t, NAMES)]
  const lookUp = createLookup({ nameServers, hostsFile: NO_FILE, bySystem: noSystem })
  assert.deepEqual(await lookUp('two.test'), [
    { address: '8.8.8.8', family: 4 },
    { address: '10.0.0.1', family: 4 },
  ])
})

test('names whose servers are silent delay no other', async (t) => {
  const receiver = await startReceiver(t)
  const lookup = createLookup({
    nameServers: [await startNameServer(t, NAMES)],
    hostsFile: NO_FILE,
    bySystem: noSystem,
  })
  const outgoing = createOutgoing({ outgoingAllow: ['receiver.test', '127.0.0.1'] }, { lookup })
  t.after(() => outgoing.close())
  const finished: string[] = []
  const silent = Array.from({ length: 20 }, async (_, number) => {
    const sent = outgoing.send({ url: `https://silent${number}.test/`, timeoutMs: 500 })
    await assert.rejects(sent, { kind: 'timeout', message: 'The lookup of the name took longer than 0.5 seconds.' })
    finished.push('silent')
  })
  assert.equal((await outgoing.send({ url: `http://receiver.test:${receiver.port}/` })).status, 204)
  finished.push('receiver')
  await Promise.all(silent)
  assert.equal(finished[0], 'receiver')
})

test('the system is asked about a name that the name servers do not know, but not when they are silent', async (t) => {
  const asked: string[] = []
  const nameServers = [await startNameServer(t, NAMES)]
  const lookUp = createLookup({
    nameServers,
    timeoutMs: 20,
    hostsFile: NO_FILE,
    bySystem: async (name) => {
      asked.push(name)
      return [{ address: '10.1.1.1', family: 4 }]
    },
  })
  assert.deepEqual(await lookUp('gone.test'), [{ address: '10.1.1.1', family: 4 }])
  await assert.rejects(lookUp('silent.test'), { code: 'ETIMEOUT' })
  assert.deepEqual(asked, ['gone.test'])
})

test('the hosts file is read before the name servers are asked, and again when it has changed', async (t) => {
  const file = hostsFile(
    t,
    '127.0.0.1 localhost\n10.0.0.5\tNAS.lan nas # comment other.lan\nfd00::5 nas.lan\nbroken nas.lan\n',
  )
  const nameServers = [await startNameServer(t, { ...NAMES, 'nas.lan': ['8.8.8.8'], 'other.lan': ['8.8.4.4'] })]
  const lookUp = createLookup({ nameServers, hostsFile: file.path, bySystem: noSystem })
  assert.deepEqual(await lookUp('nas.lan'), [
    { address: '10.0.0.5', family: 4 },
    { address: 'fd00::5', family: 6 },
  ])
  assert.deepEqual(await lookUp('nas'), [{ address: '10.0.0.5', family: 4 }])
  assert.deepEqual(await lookUp('other.lan'), [{ address: '8.8.4.4', family: 4 }])
  file.write('# empty\n')
  assert.deepEqual(await lookUp('nas.lan'), [{ address: '8.8.8.8', family: 4 }])
})

test('localhost and the names below it are loopback, whatever name servers say', async (t) => {
  const nameServers = [await startNameServer(t, { 'a.localhost': ['8.8.8.8'] })]
  const lookUp = createLookup({ nameServers, hostsFile: NO_FILE, bySystem: noSystem })
  const loopback = [
    { address: '127.0.0.1', family: 4 },
    { address: '::1', family: 6 },
  ]
  assert.deepEqual(await lookUp('localhost'), loopback)
  assert.deepEqual(await lookUp('a.localhost'), loopback)
})
