import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, existsSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { describe, test, type TestContext } from 'node:test'
import { leftOut } from '../support/left-out.ts'
import { newHome, ssh } from './home.ts'
import { temporaryFolder } from './openssh.ts'
import {
  advance,
  age,
  behindFront,
  certificateOf,
  NEVER,
  pathWithout,
  readState,
  signedIn,
  stateFolder,
} from './ssh-client-home.ts'
import { countRequests } from './ssh-person.ts'

/** An agent that takes every connection and answers nothing. Returns the address of its socket. */
async function startHungAgent(t: TestContext): Promise<string> {
  const socket = join(temporaryFolder(t), 'agent')
  const open = new Set<Socket>()
  const server = createServer((connection) => void open.add(connection)).listen(socket)
  t.after(() => {
    server.close()
    for (const connection of open) connection.destroy()
  })
  await once(server, 'listening')
  return socket
}

// Most of the time is spent waiting, so several run at the same time.
describe('latchkey-ssh waits and spins for a bounded time', { concurrency: 6 }, () => {
  test('a server that does not answer, or not with a list, delays an ssh by a second at most and changes nothing', async (t) => {
    const { answers, requests, home } = await behindFront(t)
    let seconds = 0
    for (const answer of [NEVER, '<!doctype html><p>Sign in to the network first.', 'SSHKRL\n and no more', 500]) {
      answers['/ssh/krl?format=krl'] = answer
      seconds += 61
      advance(home, seconds)
      const before = requests.length
      const { code, output, ms } = await home.run(home.bin, 'ensure')
      assert.deepEqual([code, output], [0, ''], String(answer))
      assert.equal(requests.length, before + 1)
      assert.ok(ms < 4000, `${ms}`)
      assert.ok(!existsSync(join(stateFolder(home), 'krl')))
      t.diagnostic(`${Math.round(ms)} ms`)
    }
    assert.deepEqual(
      readdirSync(stateFolder(home)).filter((name) => name.startsWith('.')),
      [],
    )
  })

  test('a folder that can’t be written is said in one sentence, at once', async (t) => {
    const { home } = await signedIn(t)
    age(home)
    const folder = stateFolder(home)
    const bound = process.getuid?.() === 0 ? ['setpriv', '--bounding-set=-dac_override'] : ['env']
    for (const state of ['free', 'locked by a process that died']) {
      chmodSync(folder, 0o500)
      const { code, output, ms } = await home.run(...(bound as [string]), home.bin, 'ensure')
      chmodSync(folder, 0o700)
      assert.equal(code, 1, state)
      assert.match(output, /^latchkey-ssh: \S+ can't be written\.[^\n]*\n$/, state)
      assert.ok(ms < 10_000, `${ms}`)
      await home.run('mkdir', join(folder, 'lock'))
      writeFileSync(join(folder, 'lock/pid'), '4194999\n')
    }
    assert.equal((await home.run(home.bin, 'ensure')).code, 0)

    // With a good certificate nothing has to be written.
    writeFileSync(join(folder, 'krl-asked'), '1\n')
    chmodSync(folder, 0o500)
    const good = await home.run(...(bound as [string]), home.bin, 'ensure')
    chmodSync(folder, 0o700)
    assert.deepEqual([good.code, good.output], [0, ''])

    const other = newHome(t)
    await home.run('cp', join(home.folder, '../client-setup.sh'), join(other.folder, '..'))
    chmodSync(other.folder, 0o500)
    const setup = await other.run(...(bound as [string]), 'sh', join(other.folder, '../client-setup.sh'))
    chmodSync(other.folder, 0o700)
    assert.equal(setup.code, 1)
    assert.match(setup.output, /^latchkey-ssh: \S+ can't be written\.[^\n]*\n$/)
  })

  test('a full disk is said in one sentence before anything is asked, and is no matter while the certificate is good', async (t) => {
    const namespace = ['unshare', '--user', '--map-root-user', '--mount'] as const
    if (spawnSync(namespace[0], [...namespace.slice(1), 'true']).status !== 0)
      return t.skip(leftOut('A file system can be mounted only where user namespaces are allowed.'))
    const { home, app } = await signedIn(t)
    writeFileSync(join(stateFolder(home), 'krl-asked'), '1\n')
    const onFullDisk = () =>
      home.run(
        ...namespace,
        'sh',
        '-c',
        `cp -a "$1" "$1.copy" && mount -t tmpfs -o size=256k tmpfs "$1" && cp -a "$1.copy/." "$1" && rm -r "$1.copy" &&
          { cat /dev/zero 2>/dev/null >"$1/filler" || exec "$2" ensure; }`,
        'sh',
        stateFolder(home),
        home.bin,
      )
    const good = await onFullDisk()
    assert.deepEqual([good.code, good.output], [0, ''])
    age(home)
    const before = countRequests(app)
    const { code, output } = await onFullDisk()
    assert.equal(code, 1)
    assert.match(output, /^latchkey-ssh: \S+ can't be written\.[^\n]*\n$/)
    assert.equal(countRequests(app), before)
  })

  test('a server that never answers is waited for 15 seconds at most, by several at once too', async (t) => {
    const { answers, home } = await behindFront(t)
    answers['/api/ssh/keys'] = NEVER
    age(home)
    const [first, second] = await Promise.all([home.run(home.bin, 'ensure'), home.run(home.bin, 'ensure')])
    for (const { code, output, ms } of [first, second]) {
      assert.equal(code, 1)
      assert.match(output, /can't be reached|busy/)
      assert.ok(ms < 20_000, `${ms}`)
      t.diagnostic(`${Math.round(ms)} ms`)
    }
  })

  test('an agent that hangs counts as none, also where there is no timeout program', async (t) => {
    const { home, sshd } = await signedIn(t)
    const before = certificateOf(home)
    const hung = await startHungAgent(t)
    const path = pathWithout(t, 'timeout')
    for (const environment of [[`SSH_AUTH_SOCK=${hung}`], [`SSH_AUTH_SOCK=${hung}`, `PATH=${path}`]]) {
      rmSync(join(stateFolder(home), 'certificate'))
      await home.run(home.bin, 'ensure')
      assert.match(readState(home, 'certificate'), /^agent$/m)
      const { code, output, ms } = await home.run('env', ...environment, home.bin, 'ensure')
      assert.deepEqual([code, output], [0, ''])
      assert.ok(ms < 15_000, `${ms}`)
      t.diagnostic(`${Math.round(ms)} ms`)
      assert.match(readState(home, 'certificate'), /^file$/m)
    }
    assert.notEqual(certificateOf(home), before)
    assert.equal((await ssh(home, sshd.port, `IdentityAgent=none`)).output.trim(), 'in', sshd.logged())
  })

  test('an answer that would take for ever to read is given up', async (t) => {
    const { answers, home } = await behindFront(t)
    const answered = ['\\"', '\\n'].map((each) => `{"hosts":["${each.repeat(1_000_000)}"]}`)
    for (const answer of [...answered, `{"hosts":${'a'.repeat(3_000_000)}`, `{"hosts":${'['.repeat(1_000_000)}`]) {
      answers['/api/ssh/my-hosts'] = answer
      const { code, output, ms } = await home.run(home.bin, 'hosts')
      assert.equal(code, 1, answer.slice(0, 10))
      assert.match(output, /^latchkey-ssh: The answer of \S+ is not understood\.\n$/)
      assert.ok(ms < 15_000, `${ms}`)
      t.diagnostic(`${Math.round(ms)} ms`)
    }
  })
})
