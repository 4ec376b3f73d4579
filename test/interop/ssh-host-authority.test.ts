import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { makeBackup } from '../../src/operations/backup/make-backup.ts'
import { runCommand } from '../../src/operations/control/commands.ts'
import { createHost, type ShownHost } from '../ssh/hosts/managed-host.ts'
import { latchkey } from '../support/command.ts'
import { createStorage } from '../support/engines.ts'
import { type CaKey, newCaKey, rotationLine, signedLine } from './ca-chain.ts'
import {
  contentOf,
  enrollRoot,
  newLine,
  plainLine,
  runLine,
  type ServiceOfHosts,
  startServiceOfHosts,
} from './host-lines.ts'
import { sshKeygen, temporaryFolder } from './openssh.ts'
import { newRoot, read, run, startFakeServer, SYNC } from './ssh-host-scripts.ts'

const TRUSTED = 'etc/ssh/trusted_user_ca.pub'
const PLAIN_TOKEN = 'header = "Authorization: Bearer x"\n'
const BOTH_KEYS_MS = 24 * 3600_000

const withoutComments = (text: string) =>
  text
    .trim()
    .split('\n')
    .map((line) => line.split(' ').slice(0, 2).join(' '))
    .toSorted()
const trusted = (root: string) => withoutComments(String(read(root, TRUSTED)))
const linesOf = (...keys: CaKey[]) => withoutComments(keys.map(({ line }) => line).join(''))

/** An enrolled host, and a server whose keys and rotations the test says. */
async function newFollower(t: TestContext) {
  const folder = temporaryFolder(t)
  const key = (name: string) => newCaKey(folder, name)
  const first = key('first')
  // Two lists of revocations, of which the host gets the one and then the other.
  const krls = [1, 2].map((serial) => {
    writeFileSync(join(folder, 'serials'), `serial: ${serial}\n`)
    sshKeygen('-q', '-k', '-f', join(folder, 'krl'), '-s', `${first.path}.pub`, join(folder, 'serials'))
    return read(folder, 'krl')
  })
  const said = { ca: '', chain: '' as string | number, krl: 0 }
  const reports: { caRefused: boolean }[] = []
  const url = await startFakeServer(t, (request, response) => {
    const path = request.url?.split('?')[0]
    if (path === '/ssh/ca.pub') response.end(said.ca)
    else if (path === '/ssh/ca-chain')
      response.writeHead(typeof said.chain === 'number' ? said.chain : 200).end(String(said.chain))
    else if (path === '/ssh/krl') response.setHeader('etag', `"k${said.krl}"`).end(krls[said.krl % 2])
    else if (path === '/ssh/hosts/principals') response.end('{"accounts":{}}')
    else if (path === '/ssh/hosts/report') {
      let body = ''
      request.on('data', (chunk: Buffer) => (body += chunk.toString()))
      request.on('end', () => {
        reports.push(JSON.parse(body) as { caRefused: boolean })
        response.end('{"renew":false}')
      })
    } else response.writeHead(404).end()
  })
  const root = newRoot(t)
  writeFileSync(join(root, 'etc/ssh/latchkey_host_token'), PLAIN_TOKEN)
  /** Whether the host, which is told this, says that it refuses it; and that revocations arrive all the same. */
  const follow = async (chain: string | number, ...offered: CaKey[]) => {
    Object.assign(said, { chain, ca: offered.map(({ line }) => line).join(''), krl: said.krl + 1 })
    const { code, output } = await run(SYNC, [], { LATCHKEY_ROOT: root, LATCHKEY_URL: url })
    assert.equal(code, 0, output)
    assert.deepEqual(read(root, 'etc/ssh/revoked_keys'), krls[said.krl % 2])
    assert.equal(/do not follow from those that this host trusts/.test(output), reports.at(-1)?.caRefused, output)
    return reports.at(-1)?.caRefused
  }
  return { root, key, first, follow, said, url }
}

test('a host takes another key of the authority only with a signature that leads to it from a key that it trusts, and otherwise keeps what it has and says so', async (t) => {
  const { root, key, first, follow, said, url } = await newFollower(t)
  const [second, third, foreign] = [key('second'), key('third'), key('foreign')]
  assert.equal(await follow(404, first), false, 'the first contact decides, also with an older server')
  assert.deepEqual(trusted(root), linesOf(first))

  const both = [first, second]
  const next = rotationLine(first, both)
  const [content = '', signature = ''] = next.trim().split(' ')
  const altered = (from: string, to: string) =>
    `${Buffer.from(Buffer.from(content, 'base64').toString().replace(from, to)).toString('base64')} ${signature}\n`
  const written = (change: (json: string) => string) =>
    signedLine(first, change(Buffer.from(content, 'base64').toString()))
  const refusals: Record<string, [chain: string | number, ...offered: CaKey[]]> = {
    'without a line': ['', ...both],
    'by an older server': [404, second],
    'signed by a stranger': [rotationLine(foreign, both), ...both],
    'signed by the key that is to follow': [rotationLine(second, both), ...both],
    'for hosts’ keys': [rotationLine(first, both, { kind: 'host' }), ...both],
    'signed for something else': [rotationLine(first, both, { namespace: 'file' }), ...both],
    'with another number than was signed': [altered('"number":1', '"number":9'), ...both],
    'with a space that was not signed': [altered('{', '{ '), ...both],
    'with the signature of another line': [
      `${content} ${rotationLine(first, [first, third]).trim().split(' ')[1]}\n`,
      ...both,
    ],
    'for other keys than are offered': [next, ...both, third],
    'for an unknown key beside the known one': ['', first, foreign],
    'with number 0': [rotationLine(first, both, { number: 0 }), ...both],
    'with a number that no shell can count to': [
      written((json) => json.replace(':1,', `:${'9'.repeat(20)},`)),
      ...both,
    ],
    'with a field that nobody knows': [written((json) => json.replace('}', ',"more":1}')), ...both],
    'with a field twice': [written((json) => json.replace('{', '{"kind":"user",')), ...both],
    'with options before a key': [written((json) => json.replace('["ssh', '["cert-authority ssh')), ...both],
    'over two lines': [written((json) => json.replace(',"kind"', ',\n"kind"')), ...both],
    'cut off': [next.slice(0, -20), ...both],
    'as a page of another network': ['<!doctype html><p>Sign in first.', ...both],
    'as bytes without a meaning': [`\u0000\u001B[2J\u0007 ${'\u0001'.repeat(99)}\n`, ...both],
  }
  for (const [why, [chain, ...offered]] of Object.entries(refusals)) {
    assert.equal(await follow(chain, ...offered), true, why)
    assert.deepEqual(trusted(root), linesOf(first), why)
  }

  assert.equal(await follow(next, ...both), false)
  assert.deepEqual(trusted(root), linesOf(...both))
  assert.equal(await follow(next, second), false)
  assert.deepEqual(trusted(root), linesOf(second), 'what is no longer offered is dropped')
  assert.equal(await follow(next, foreign), true)
  assert.deepEqual(trusted(root), linesOf(second), 'but never the last one')
  assert.equal(await follow(next, ...both), true, 'a line that was followed before leads nowhere again')
  const later = rotationLine(second, [second, third], { number: 1_000_000_000_000 })
  assert.equal(await follow(`${rotationLine(first, [first], { number: 5 })}${next}${later}`, second, third), false)
  assert.deepEqual(trusted(root), linesOf(second, third), 'over lines that are not for this host')

  const backwards = [1, 2, 1_000_000_000_000].map((number) => rotationLine(second, [first], { number })).join('')
  const elsewhere = { installation: 'two', number: 2_000_000_000_000 }
  assert.equal(await follow(backwards, first), true)
  assert.equal(await follow(rotationLine(second, [foreign], elsewhere), foreign), true, 'of another installation')
  assert.deepEqual(trusted(root), linesOf(second, third))

  // An answer that is none at all is a failure, and no other CA.
  const before = contentOf(root)
  for (const [chain, ca] of [
    [503, foreign.line],
    ['x'.repeat(1_100_000), foreign.line],
    ['', `${foreign.line}${'x'.repeat(9000)}\n`],
    ['', '<!doctype html>\n'],
  ] as const) {
    Object.assign(said, { chain, ca })
    const { code, output } = await run(SYNC, [], { LATCHKEY_ROOT: root, LATCHKEY_URL: url })
    assert.deepEqual([code, /The files in place were left/.test(output)], [1, true], output)
    assert.deepEqual(contentOf(root), before)
  }
})

test('a host that an older version has set up begins with the keys that sshd trusts', async (t) => {
  const { root, key, first, follow } = await newFollower(t)
  const [second, foreign] = [key('second'), key('foreign')]
  const next = rotationLine(first, [first, second])
  writeFileSync(join(root, TRUSTED), first.line)
  assert.equal(await follow(next, foreign), true)
  assert.deepEqual(trusted(root), linesOf(first))
  assert.equal(await follow(next, first, second), false)
  assert.deepEqual(trusted(root), linesOf(first, second))
})

const retire = { name: 'rotate-ssh-ca', how: 'retire-previous' } as const
const publish = { name: 'rotate-ssh-ca', how: 'publish', trustedForMs: 0 } as const
const syncOf = (root: string) => run(join(root, 'usr/local/sbin/latchkey-ssh-sync'), [], { LATCHKEY_ROOT: root })
const offered = async ({ app }: ServiceOfHosts) =>
  withoutComments((await app.app.inject('/ssh/ca.pub?trusted=all')).body)

test('hosts follow the rotations of a server, also over several that they have missed', async (t) => {
  const service = await startServiceOfHosts(t)
  const [there, away] = [await enrollRoot(t, service), await enrollRoot(t, service)]
  const seen = new Set(await offered(service))
  for (const command of [{ ...publish, trustedForMs: BOTH_KEYS_MS }, publish, retire, publish, retire]) {
    await runCommand(service.app.services, command)
    const { code, output } = await syncOf(there.root)
    assert.equal(code, 0, output)
    assert.deepEqual(trusted(there.root), await offered(service))
    for (const each of await offered(service)) seen.add(each)
  }
  assert.ok(seen.size >= 3)
  assert.equal((await syncOf(away.root)).code, 0)
  assert.deepEqual(trusted(away.root), await offered(service))
})

test('after a restore from before a rotation hosts keep their CA, need attention, and are mended by a new line, as the restore says', async (t) => {
  const service = await startServiceOfHosts(t)
  const port = Number(new URL(service.url).port)
  const earlier = await enrollRoot(t, service)
  const created = await createHost(service.admin)
  const folder = join(temporaryFolder(t), 'backup')
  await makeBackup(service.app.services.config, folder, Date.now())
  const later = newRoot(t)
  assert.equal((await runLine(later, created.command)).code, 0)
  const open = newRoot(t)
  assert.equal((await runLine(open, plainLine(service))).code, 0)
  for (const command of [publish, retire]) await runCommand(service.app.services, command)
  for (const root of [earlier.root, later, open]) assert.equal((await syncOf(root)).code, 0)
  const lost = await offered(service)
  await service.app.close()

  const storage = await createStorage('sqlite')
  t.after(storage.remove)
  const restored = await latchkey(storage, ['restore', folder])
  assert.equal(restored.code, 0, restored.stderr)
  assert.match(
    restored.stderr,
    /SSH hosts: one whose token was made since then is shown as needing attention, and needs a new/,
  )
  assert.match(
    restored.stderr,
    /If an SSH\s+authority was rotated since then \(keys rotate-ssh-ca\), all hosts need one/,
  )
  const again = await startServiceOfHosts(t, { port, storage })
  assert.notDeepEqual(await offered(again), lost)
  const attention = async (id: string) =>
    (await again.admin.get(`/api/ssh/hosts/${id}`)).json<{ host: ShownHost }>().host.attention?.reason

  const listsBefore = contentOf(join(later, 'etc/ssh/latchkey_principals'))
  for (const root of [earlier.root, later, open]) {
    const { output } = await syncOf(root)
    assert.match(output, /do not follow from those that this host trusts/)
    assert.deepEqual(trusted(root), lost)
  }
  assert.equal(await attention(earlier.hostId), 'ca_refused')
  assert.equal(await attention(created.host.id), 'token_refused')
  assert.deepEqual(contentOf(join(later, 'etc/ssh/latchkey_principals')), listsBefore)

  for (const [root, id] of [
    [earlier.root, earlier.hostId],
    [later, created.host.id],
  ] as const) {
    const plain = await runLine(root, plainLine(again))
    assert.equal(plain.code, 1, 'without a line nothing is taken')
    const { code, output } = await runLine(root, await newLine(again, id))
    assert.equal(code, 0, output)
    assert.deepEqual(trusted(root), await offered(again))
    assert.equal(await attention(id), undefined)
  }
})
