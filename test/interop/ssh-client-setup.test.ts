import assert from 'node:assert/strict'
import { existsSync, mkdirSync, readdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { startApp } from '../support/app.ts'
import { newHome, ssh, startAgent } from './home.ts'
import { ACCOUNT, temporaryFolder } from './openssh.ts'
import { signInSshUser } from './sign-in-ssh-user.ts'
import { read } from './ssh-client-home.ts'
import { countRequests, decideShown, install, logIn, startService } from './ssh-person.ts'

// Most of the time is spent waiting between two polls, so several run at the same time.
describe('latchkey-ssh', { concurrency: 6 }, () => {
  test('the block is the last one of the configuration, sets the username, and what the person has set before it wins', async (t) => {
    const service = await startService(t)
    const home = newHome(t, { SSH_AUTH_SOCK: await startAgent(t) })
    mkdirSync(join(home.folder, '.ssh'), { mode: 0o700 })
    const own = 'Host own.test.example\n  User somebody'
    writeFileSync(join(home.folder, '.ssh/config'), own)
    const person = await signInSshUser(service.app)
    await install(home, service.app)
    await logIn(home, person)
    const config = read(home, '.ssh/config')
    assert.ok(config.startsWith(`${own}\n# BEGIN latchkey-ssh`) && config.endsWith('# END latchkey-ssh\n'), config)
    assert.match(config, /^Match host 127\.0\.0\.1,\*\.test\.example exec "\S+\/latchkey-ssh ensure"$/m)
    assert.doesNotMatch(config, /%/)
    await logIn(home, person)
    assert.equal(read(home, '.ssh/config'), config)
    const userAt = async (host: string) => {
      const { output } = await home.run('ssh', '-F', join(home.folder, '.ssh/config'), '-G', host)
      return /^user (.*)$/m.exec(output)?.[1]
    }
    assert.equal(await userAt('a.test.example'), person.user.preferredUsername)
    assert.equal(await userAt('own.test.example'), 'somebody')
    const before = countRequests(service.app)
    assert.equal(await userAt('elsewhere.example'), ACCOUNT)
    assert.equal(countRequests(service.app), before)
  })

  test('uninstalling leaves the home folder as it was', async (t) => {
    const service = await startService(t)
    const person = await signInSshUser(service.app)
    const list = (folder: string) => readdirSync(folder, { recursive: true }).map(String).toSorted()

    const fresh = newHome(t)
    await install(fresh, service.app)
    await logIn(fresh, person)
    const removed = await fresh.run(fresh.bin, 'uninstall')
    assert.equal(removed.code, 0, removed.output)
    assert.deepEqual(list(fresh.folder), [])

    const used = newHome(t)
    mkdirSync(join(used.folder, '.ssh'), { mode: 0o700 })
    mkdirSync(join(used.folder, 'dotfiles'))
    const config = 'Host *\n  ServerAliveInterval 30'
    writeFileSync(join(used.folder, 'dotfiles/ssh'), config, { mode: 0o644 })
    symlinkSync('../dotfiles/ssh', join(used.folder, '.ssh/config'))
    const before = list(used.folder)
    await install(used, service.app)
    await logIn(used, person)
    assert.match(read(used, 'dotfiles/ssh'), /latchkey-ssh ensure/)
    assert.equal((await used.run(used.bin, 'uninstall')).code, 0)
    assert.deepEqual(list(used.folder), before)
    assert.equal(read(used, 'dotfiles/ssh'), config)
    assert.equal(statSync(join(used.folder, 'dotfiles/ssh')).mode & 0o777, 0o644)
  })

  test('a setup script that is cut off does nothing, and the whole one knows its server, whatever the Host header says', async (t) => {
    const app = await startApp(t, { config: { baseUrl: 'https://id.example.org', sshHostPatterns: ['*.example.org'] } })
    const answer = await app.app.inject({ url: '/ssh/client-setup.sh', headers: { host: 'evil.example' } })
    assert.equal(answer.headers['content-type'], 'text/x-shellscript; charset=utf-8')
    assert.equal(answer.headers['access-control-allow-origin'], '*')
    assert.doesNotMatch(answer.body, /evil/)
    assert.match(answer.body, /^url='https:\/\/id\.example\.org'$/m)
    const home = newHome(t)
    const file = join(temporaryFolder(t), 'setup.sh')
    for (let share = 0.05; share < 1; share += 0.05) {
      writeFileSync(file, answer.body.slice(0, Math.floor(answer.body.length * share)))
      await home.run('sh', file)
      assert.deepEqual(readdirSync(home.folder), [], `${share} of the script did something`)
    }
  })

  test('without SSH_HOST_PATTERNS the configuration of ssh is left alone, and the setup says so', async (t) => {
    const { app } = await startService(t, { sshHostPatterns: [] })
    const home = newHome(t)
    const { output } = await install(home, app)
    assert.match(output, /configuration is left alone/)
    await logIn(home, await signInSshUser(app))
    assert.ok(!existsSync(join(home.folder, '.ssh/config')))
  })

  test('it runs under dash and busybox, and ShellCheck finds nothing in it', async (t) => {
    const { app, sshd } = await startService(t)
    const person = await signInSshUser(app)
    for (const shell of [['dash'], ['busybox', 'sh']]) {
      const home = newHome(t, { SSH_AUTH_SOCK: await startAgent(t) })
      await install(home, app, shell)
      const [command = '', ...args] = shell
      const running = home.start(command, ...args, home.bin, 'login')
      await decideShown(running, person)
      const { code, output } = await running.ended
      assert.equal(code, 0, output)
      assert.equal((await home.run(command, ...args, home.bin, 'ensure')).output, '')
      assert.equal((await ssh(home, sshd.port)).output.trim(), 'in')
      assert.equal((await home.run(command, ...args, home.bin, 'uninstall')).code, 0)
    }
    const folder = temporaryFolder(t)
    writeFileSync(join(folder, 'setup'), (await app.app.inject('/ssh/client-setup.sh')).body)
    const program = join(import.meta.dirname, '../../deploy/ssh-client/latchkey-ssh')
    const checked = await newHome(t).run('shellcheck', join(folder, 'setup'), program)
    assert.deepEqual([checked.code, checked.output], [0, ''])
  })

  test('a home folder whose name would change the meaning of the configuration is refused', async (t) => {
    const app = await startApp(t, { config: { sshHostPatterns: ['*.test.example'] } })
    const home = newHome(t)
    await install(home, app)
    for (const name of ['/tmp/a b', '/tmp/a%h', '/tmp/$(id)', "/tmp/a'b", '/tmp/a"b', 'relative', '']) {
      for (const shell of ['dash', 'busybox sh']) {
        const { code, output } = await home.run('sh', '-c', `HOME="$1" exec ${shell} ${home.bin} ensure`, 'sh', name)
        assert.equal(code, 1, name)
        assert.match(output, /home folder can't be used/, name)
      }
    }
  })
})
