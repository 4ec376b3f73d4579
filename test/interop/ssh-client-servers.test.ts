import assert from 'node:assert/strict'
import { existsSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test, type TestContext } from 'node:test'
import { type Home, newHome, ssh, startAgent } from './home.ts'
import { ACCOUNT, temporaryFolder } from './openssh.ts'
import { signInSshUser } from './sign-in-ssh-user.ts'
import { age, inAgent, read, readState, startFront, stateFolder } from './ssh-client-home.ts'
import { countRequests, install, logIn, startService } from './ssh-person.ts'

const tokensOf = (home: Home, baseUrl: string) => readState(home, 'token', baseUrl).split('\n').slice(0, 2)
const nameOf = (baseUrl: string) => new URL(baseUrl).host

/** Makes what was signed in to look as version 0.2 leaves it: everything in one folder, the address in the program. */
function makeOld(home: Home, baseUrl: string, patterns: string): void {
  const all = join(home.folder, '.ssh/latchkey')
  const state = stateFolder(home, baseUrl)
  for (const name of ['token', 'settings', 'certificate', 'id.pub', 'id-cert.pub', 'key-id', 'id'])
    if (existsSync(join(state, name))) renameSync(join(state, name), join(all, name))
  rmSync(state, { recursive: true })
  rmSync(join(all, 'order'))
  writeFileSync(home.bin, `#!/bin/sh\nurl='${baseUrl}'\npatterns='${patterns}'\n`)
}

/** Two servers, the second of which tells what it was sent, and somebody who is signed in to the first. */
async function twoServers(t: TestContext, patterns = ['*.other.example']) {
  const first = await startService(t)
  const seen: string[] = []
  const second = await startFront(t, {}, { patterns, seen: (request) => seen.push(request) })
  const home = newHome(t, { SSH_AUTH_SOCK: await startAgent(t) })
  const person = await signInSshUser(first.app)
  await install(home, first.app)
  await logIn(home, person)
  const [a, b] = [first.baseUrl, second.services.config.baseUrl]
  return { first, second, seen, home, person, a, b }
}

// Most of the time is spent waiting between two polls, so several run at the same time.
describe('latchkey-ssh with several servers', { concurrency: 4 }, () => {
  test('a second server’s setup adds to the first, and is sent nothing of it', async (t) => {
    const { first, second, seen, home, a, b } = await twoServers(t)
    const [before, secrets] = [await inAgent(home), tokensOf(home, a)]
    await install(home, second)
    await logIn(home, await signInSshUser(second), '--server', nameOf(b))
    await home.run(home.bin, 'status')
    age(home, b)
    assert.equal((await home.run(home.bin, 'ensure', '--server', nameOf(b))).code, 0)
    assert.ok(seen.length > 10)
    for (const secret of secrets) assert.ok(!seen.some((request) => request.includes(secret)))
    assert.deepEqual(tokensOf(home, a), secrets)
    assert.deepEqual((await inAgent(home)).filter((line) => before.includes(line)).length, 2)
    assert.equal((await ssh(home, first.sshd.port)).output.trim(), 'in', first.sshd.logged())

    const { output } = await home.run(home.bin, 'servers')
    assert.deepEqual(output.trim().split('\n').toSorted(), [`${nameOf(a)}  ${a}`, `${nameOf(b)}  ${b}`].toSorted())
    const shown = await home.run(home.bin, 'status')
    assert.ok(shown.output.includes(a) && shown.output.includes(b), shown.output)
    const config = read(home, '.ssh/config')
    assert.ok(config.includes(`ensure --server ${nameOf(a)}"`) && config.includes(`ensure --server ${nameOf(b)}"`))
  })

  test('uninstalling one leaves the other as it is, and the last takes everything along', async (t) => {
    const { first, second, home, a, b } = await twoServers(t)
    const config = read(home, '.ssh/config')
    await install(home, second)
    await logIn(home, await signInSshUser(second), '--server', nameOf(b))
    const unclear = await home.run(home.bin, 'uninstall')
    assert.equal(unclear.code, 1)
    assert.match(unclear.output, /several servers/)
    assert.equal((await home.run(home.bin, 'uninstall', '--server', nameOf(b))).code, 0)
    assert.ok(!existsSync(stateFolder(home, b)))
    assert.equal(read(home, '.ssh/config'), config)
    assert.equal((await inAgent(home)).length, 2)
    assert.equal((await ssh(home, first.sshd.port)).output.trim(), 'in')
    rmSync(join(home.folder, '.ssh/known_hosts'))
    assert.equal((await home.run(home.bin, 'uninstall')).code, 0)
    assert.deepEqual(readdirSync(home.folder, { recursive: true }), [])
    assert.deepEqual(await inAgent(home), [])

    await install(home, first.app)
    await install(home, second)
    assert.equal((await home.run(home.bin, 'uninstall', '--all')).code, 0)
    assert.deepEqual(readdirSync(home.folder, { recursive: true }), [], `${a} and ${b}`)
  })

  test('the state of version 0.2 goes to the server it belongs to, never to the one that is installed', async (t) => {
    const { first, second, seen, home, a, b } = await twoServers(t)
    const [token, before] = [readState(home, 'token'), await inAgent(home)]
    makeOld(home, a, '127.0.0.1,*.test.example')
    await install(home, second)
    assert.equal(readState(home, 'token', a), token)
    assert.ok(!existsSync(join(stateFolder(home, b), 'token')))
    assert.equal((await ssh(home, first.sshd.port)).output.trim(), 'in', first.sshd.logged())
    const requests = countRequests(first.app)
    assert.equal((await home.run(home.bin, 'ensure')).code, 0)
    assert.equal(countRequests(first.app), requests, 'the certificate of before is used')
    assert.deepEqual(await inAgent(home), before)
    await logIn(home, await signInSshUser(second), '--server', nameOf(b))
    for (const secret of token.split('\n').slice(0, 2)) assert.ok(!seen.some((request) => request.includes(secret)))
    assert.deepEqual(
      readdirSync(join(home.folder, '.ssh/latchkey')).filter((name) => /token|id|certificate/.test(name)),
      [],
    )
  })

  test('the state of version 0.2 of a server that nobody knows any more is given to no server', async (t) => {
    const { second, seen, home, a, b } = await twoServers(t)
    const secrets = tokensOf(home, a)
    makeOld(home, a, '*.test.example')
    rmSync(home.bin)
    await install(home, second)
    assert.deepEqual(await inAgent(home), [])
    assert.ok(!existsSync(join(stateFolder(home, b), 'token')))
    assert.ok(!existsSync(join(home.folder, '.ssh/latchkey/token')))
    for (const secret of secrets) assert.ok(!seen.some((request) => request.includes(secret)))
  })

  test('where the patterns of two servers name the same host, the first answers, until a sign-in names the other', async (t) => {
    const { first, second, home, a, b } = await twoServers(t, ['127.0.0.1', '*.other.example'])
    await install(home, second)
    await logIn(home, await signInSshUser(second), '--server', nameOf(b))
    const person = await signInSshUser(first.app)
    const userAt = async (host: string) => {
      const { output } = await home.run('ssh', '-F', join(home.folder, '.ssh/config'), '-G', host)
      return {
        user: /^user (.*)$/m.exec(output)?.[1],
        files: [...output.matchAll(/^identityfile (.*)$/gm)].map(([, file]) => file),
      }
    }
    assert.deepEqual((await userAt('127.0.0.1')).files, [join(stateFolder(home, b), 'id')])
    await logIn(home, person, '--server', a)
    assert.deepEqual(await userAt('127.0.0.1'), {
      user: person.user.preferredUsername,
      files: [join(stateFolder(home, a), 'id')],
    })
    assert.deepEqual((await userAt('web.other.example')).files, [join(stateFolder(home, b), 'id')])
    assert.equal((await userAt('elsewhere.example')).user, ACCOUNT)
    const wrong = await home.run(home.bin, 'ensure', '--server', 'elsewhere.example')
    assert.equal(wrong.code, 1)
    assert.match(wrong.output, /no such server/)
  })

  test('an older program does not replace a newer one, which then adds its server', async (t) => {
    const { app, baseUrl } = await startService(t)
    const home = newHome(t)
    await install(home, app)
    const newer = read(home, '.local/bin/latchkey-ssh').replace(/^version='.*'$/m, "version='99.0.0'")
    writeFileSync(home.bin, newer)
    const second = await startFront(t, {}, { patterns: ['*.other.example'] })
    await install(home, second)
    assert.equal(read(home, '.local/bin/latchkey-ssh'), newer)
    const { output } = await home.run(home.bin, 'servers')
    assert.ok(output.includes(baseUrl) && output.includes(second.services.config.baseUrl), output)
  })

  test('a home folder that can’t be used, or a missing program, is said before anything is installed', async (t) => {
    const { app } = await startService(t)
    const file = join(temporaryFolder(t), 'setup.sh')
    writeFileSync(file, (await app.app.inject('/ssh/client-setup.sh')).body)
    for (const name of ['a b', "a'b", 'a"b', 'a$b', 'a%h']) {
      const home = newHome(t)
      const odd = join(home.folder, name)
      await home.run('mkdir', odd)
      const { code, output } = await home.run('env', `HOME=${odd}`, 'sh', file)
      assert.equal(code, 1, name)
      assert.match(output, /home folder can't be used/, name)
      assert.deepEqual(readdirSync(odd), [])
    }
    const home = newHome(t)
    const bin = temporaryFolder(t)
    for (const tool of ['sh', 'awk', 'mktemp', 'cat', 'rm', 'sed', 'head'])
      await home.run('sh', '-c', `ln -s "$(command -v ${tool})" ${bin}/`)
    const { code, output } = await home.run('env', `PATH=${bin}`, 'sh', file)
    assert.equal(code, 1)
    assert.match(output, /^latchkey-ssh: ssh is needed/m)
    assert.deepEqual(readdirSync(home.folder), [])
  })
})
