import assert from 'node:assert/strict'
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { createHost } from '../ssh/hosts/managed-host.ts'
import {
  contentOf,
  copyOf,
  enrollRoot,
  type EnrolledRoot,
  newLine,
  plainLine,
  recordCurl,
  runLine,
  type ServiceOfHosts,
  startServiceOfHosts,
  worksWith,
} from './host-lines.ts'
import { newRoot, read, run } from './ssh-host-scripts.ts'

const TOKEN = 'etc/ssh/latchkey_host_token'
const SNIPPET = 'etc/ssh/sshd_config.d/10-latchkey.conf'

test('a used enrolment line, run again, changes nothing on the host and says that it was used', async (t) => {
  const service = await startServiceOfHosts(t)
  const { root, command } = await enrollRoot(t, service)
  const before = contentOf(root)
  const { code, output } = await runLine(root, command)
  assert.equal(code, 1)
  assert.match(output, /refuses this line: it was used before, or is older than an hour/)
  assert.match(output, /left as they are/)
  assert.deepEqual(contentOf(root), before)
  assert.equal(await worksWith(service, root), true)
  const synced = await run(join(root, 'usr/local/sbin/latchkey-ssh-sync'), [], { LATCHKEY_ROOT: root })
  assert.deepEqual([synced.code, synced.output], [0, ''])
})

test('a refused enrolment leaves nothing on a host that Latchkey was not on', async (t) => {
  const service = await startServiceOfHosts(t)
  const { command } = await enrollRoot(t, service)
  const root = newRoot(t)
  const before = contentOf(root)
  const { code } = await runLine(root, command)
  assert.equal(code, 1)
  assert.deepEqual(contentOf(root), before)
})

const FATES: Record<string, (service: ServiceOfHosts, host: EnrolledRoot) => Promise<void>> = {
  alive: async () => undefined,
  dead: async (service, { hostId }) => void (await newLine(service, hostId, true)),
  deleted: async (_service, { root }) => rmSync(join(root, TOKEN)),
  'stolen and renewed by a thief': async ({ url }, { root }) => {
    const renewed = await run('curl', ['-s', '--config', join(root, TOKEN), '-X', 'POST', `${url}/ssh/hosts/renew`], {})
    const { hostToken } = JSON.parse(renewed.output) as { hostToken: string }
    await run('curl', ['-s', '-H', `Authorization: Bearer ${hostToken}`, `${url}/ssh/hosts/principals`], {})
  },
  'of a backup': async (_service, { root }) =>
    writeFileSync(join(root, TOKEN), 'header = "Authorization: Bearer ht_older"\n', { mode: 0o600 }),
}
for (const [fate, apply] of Object.entries(FATES)) {
  test(`a new enrolment line works on a host whose old token is ${fate}, and is never sent with it`, async (t) => {
    const service = await startServiceOfHosts(t)
    const host = await enrollRoot(t, service)
    await apply(service, host)
    const old = existsSync(join(host.root, TOKEN)) ? readFileSync(join(host.root, TOKEN), 'utf8') : undefined
    const { path, recorded } = recordCurl(t)
    const line = await newLine(service, host.hostId)
    const { code, output } = await runLine(host.root, line, { environment: { PATH: path } })
    assert.equal(code, 0, output)
    assert.equal(await worksWith(service, host.root), true)
    const oldToken = old?.match(/Bearer (\S+)"/)?.[1]
    assert.match(recorded(), /Authorization: Bearer ht_/)
    if (oldToken !== undefined) assert.ok(!recorded().includes(oldToken), recorded())
  })
}

test('the installer stops on an enrolled host whose token is gone, and says which line to get', async (t) => {
  const service = await startServiceOfHosts(t)
  const { root, hostId } = await enrollRoot(t, service)
  rmSync(join(root, TOKEN))
  const older = copyOf(t, root)
  rmSync(join(older, 'var/lib/latchkey-ssh'), { recursive: true })
  for (const [each, told] of [
    [root, hostId],
    [older, 'Get a new line for it on the dashboard'],
  ] as const) {
    const before = contentOf(each)
    const { code, output } = await runLine(each, plainLine(service))
    assert.equal(code, 1)
    assert.match(output, /This host was enrolled at .*, and its token is gone/)
    assert.ok(output.includes(told), output)
    assert.deepEqual(contentOf(each), before)
  }
})

test('the installer without a line goes on with the token of an enrolled host, and stops where the server refuses it', async (t) => {
  const service = await startServiceOfHosts(t)
  const { root, hostId } = await enrollRoot(t, service)
  const before = contentOf(root)
  const again = await runLine(root, plainLine(service))
  assert.equal(again.code, 0, again.output)
  assert.match(String(read(root, SNIPPET)), /^AuthorizedPrincipalsFile/m)
  assert.deepEqual(contentOf(root), before)

  await newLine(service, hostId, true)
  const refused = await runLine(root, plainLine(service))
  assert.equal(refused.code, 1)
  assert.match(refused.output, /does not accept the token of this host/)
  assert.deepEqual(contentOf(root), before)
})

test('a host is taken over by another server only with a line of that server', async (t) => {
  const [first, second] = [await startServiceOfHosts(t), await startServiceOfHosts(t)]
  const { root } = await enrollRoot(t, first)
  const before = contentOf(root)
  const refused = await runLine(root, plainLine(second))
  assert.equal(refused.code, 1)
  assert.match(refused.output, /is enrolled at http.*To enrol it at/)
  assert.deepEqual(contentOf(root), before)

  const { command } = await createHost(second.admin)
  const moved = await runLine(root, command)
  assert.equal(moved.code, 0, moved.output)
  assert.equal(await worksWith(second, root), true)
  assert.equal(String(read(root, 'etc/latchkey-ssh.env')), `LATCHKEY_URL='${second.url}'\n`)

  const open = newRoot(t)
  await runLine(open, plainLine(first))
  const trusting = contentOf(open)
  const other = await runLine(open, plainLine(second))
  assert.equal(other.code, 1)
  assert.match(other.output, /is not the one that this host trusts/)
  assert.deepEqual(contentOf(open), trusting)
})
