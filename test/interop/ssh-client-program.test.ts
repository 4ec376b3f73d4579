import assert from 'node:assert/strict'
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { VERSION } from '../../src/platform/config/version.ts'
import { newHome, ssh, startAgent } from './home.ts'
import { temporaryFolder } from './openssh.ts'
import { signInSshUser } from './sign-in-ssh-user.ts'
import { age, pathWithout, read, readState, startFront, stateFolder } from './ssh-client-home.ts'
import { countRequests, install, logIn, startService } from './ssh-person.ts'

// Most of the time is spent waiting between two polls, so several run at the same time.
describe('latchkey-ssh', { concurrency: 4 }, () => {
  test('version tells the version of the server that it came from, and update gets its program and patterns anew', async (t) => {
    const { app } = await startService(t)
    const home = newHome(t)
    await install(home, app)
    assert.equal((await home.run(home.bin, 'version')).output, `latchkey-ssh ${VERSION}\n`)
    const program = read(home, '.local/bin/latchkey-ssh')
    writeFileSync(
      home.bin,
      program.replace(/^version='.*'$/m, "version='0.0.1'").replace('main "$@"', '# old\nmain "$@"'),
    )
    writeFileSync(join(stateFolder(home), 'server'), `${app.services.config.baseUrl}\n*.former.example\n`)
    const { code, output } = await home.run(home.bin, 'update')
    assert.equal(code, 0, output)
    assert.match(output, new RegExp(`This is version ${VERSION} now`))
    assert.equal(read(home, '.local/bin/latchkey-ssh'), program)
    assert.equal(readState(home, 'server'), `${app.services.config.baseUrl}\n127.0.0.1,*.test.example\n`)
  })

  test('update changes nothing when the script is cut off, of another server, older, or none', async (t) => {
    const answers: Record<string, string | Buffer | number> = {}
    const app = await startFront(t, answers)
    const home = newHome(t)
    await install(home, app)
    const program = read(home, '.local/bin/latchkey-ssh')
    const setup = (await app.app.inject('/ssh/client-setup.sh')).body
    for (const [why, answer, expected] of [
      ['cut off', setup.slice(0, setup.length / 2), /not understood/],
      ['cut off at the end', setup.slice(0, -2), /not understood/],
      ['of another server', setup.replace(/^url=.*$/m, "url='https://other.example'"), /not understood/],
      ['a page', '<!doctype html><p>Sign in to the network first.', /not understood/],
      ['not for a shell', setup.replace('set -eu', 'set -eu; if'), /not understood/],
      ['older', setup.replace(/^version='.*'$/m, "version='0.1.9'"), /older/],
      ['of version 0.2', setup.replace(/^version='.*'$/m, ''), /older/],
      ['missing', 404, /has refused \(404\)/],
    ] as const) {
      answers['/ssh/client-setup.sh'] = answer
      const { output } = await home.run(home.bin, 'update')
      assert.match(output, expected, why)
      assert.equal(read(home, '.local/bin/latchkey-ssh'), program, why)
      assert.equal((await home.run(home.bin, 'servers')).output.trim().split('\n').length, 1, why)
    }
  })

  test('without curl, GNU wget does, and no token is in its arguments', async (t) => {
    const { app, sshd } = await startService(t)
    const path = pathWithout(t, 'curl')
    const log = join(temporaryFolder(t), 'arguments')
    const wget = readdirSync('/usr/bin').includes('wget') ? '/usr/bin/wget' : 'wget'
    rmSync(join(path, 'wget'), { force: true })
    writeFileSync(join(path, 'wget'), `#!/bin/sh\nprintf '%s\\n' "$@" >>${log}\nexec ${wget} "$@"\n`, { mode: 0o755 })
    const home = newHome(t, { SSH_AUTH_SOCK: await startAgent(t), PATH: path })
    await install(home, app)
    await logIn(home, await signInSshUser(app))
    assert.equal((await ssh(home, sshd.port)).output.trim(), 'in', sshd.logged())
    age(home)
    assert.equal((await home.run(home.bin, 'ensure')).code, 0)
    const before = countRequests(app, '/ssh/krl')
    for (const expected of [200, 304]) {
      writeFileSync(join(stateFolder(home), 'krl-asked'), '1\n')
      assert.equal((await home.run(home.bin, 'ensure')).output, '', String(expected))
    }
    assert.equal(countRequests(app, '/ssh/krl'), before + 2)
    assert.equal(countRequests(app, '"status":304'), 1)
    const bad = await home.run(home.bin, 'ensure', '--as', 'nobody')
    assert.match(bad.output, /No role of yours gives you nobody/, 'errors are read too')
    assert.equal((await home.run(home.bin, 'logout')).code, 0)
    const args = readFileSync(log, 'utf8')
    assert.match(args, /\/oauth\/token/)
    assert.doesNotMatch(args, /(at|rt|dc)_[A-Za-z0-9_-]{20}|Bearer/)
  })

  test('the wget of BusyBox is refused before anything is installed, because its headers are arguments', async (t) => {
    const { app } = await startService(t)
    const path = pathWithout(t, 'curl')
    rmSync(join(path, 'wget'), { force: true })
    writeFileSync(join(path, 'wget'), '#!/bin/sh\nexec busybox wget "$@"\n', { mode: 0o755 })
    const home = newHome(t, { PATH: path })
    const file = join(temporaryFolder(t), 'setup.sh')
    writeFileSync(file, (await app.app.inject('/ssh/client-setup.sh')).body)
    const { code, output } = await home.run('sh', file)
    assert.equal(code, 1)
    assert.match(output, /^latchkey-ssh: curl is needed, or GNU wget\./)
    assert.deepEqual(readdirSync(home.folder), [])
  })
})
