import assert from 'node:assert/strict'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import type { TestApp } from '../support/app.ts'
import type { Person } from '../support/people.ts'
import { ORIGIN } from '../support/settings.ts'
import { type Home, newHome, startAgent } from './home.ts'
import { signInSshUser } from './sign-in-ssh-user.ts'
import { pathWithout, sshLine, stateFolder } from './ssh-client-home.ts'
import { countRequests, install, startService } from './ssh-person.ts'

/** A browser in which somebody is signed in, who approves each device whose page is opened. */
function approveIn(home: Home, opener: string, { services: { config } }: TestApp, { cookie }: Person): void {
  const headers = [`Cookie: session=${cookie}`, `Origin: ${ORIGIN}`, 'Content-Type: application/json']
  const body = '{\\"user_code\\":\\"${1##*=}\\",\\"approve\\":true}'
  home.replace(
    opener,
    `exec curl -fs ${headers.map((each) => `-H '${each}'`).join(' ')} -d "${body}" ${config.baseUrl}/oauth/device/approve`,
  )
}

// Most of the time is spent waiting between two polls, so several run at the same time.
describe('latchkey-ssh that a program without a terminal runs', { concurrency: 3 }, () => {
  test('a program without a terminal opens the browser and waits, where a desktop is', async (t) => {
    const { app, sshd } = await startService(t)
    const person = await signInSshUser(app)
    const desktops: [name: string, environment: Record<string, string>, opener: string][] = [
      ['X', { DISPLAY: ':0' }, 'xdg-open'],
      ['Wayland', { WAYLAND_DISPLAY: 'wayland-0' }, 'xdg-open'],
      ['macOS', {}, 'open'],
    ]
    const signInFrom = async ([name, environment, opener]: (typeof desktops)[number]) => {
      const home = newHome(t, { SSH_AUTH_SOCK: await startAgent(t), ...environment })
      await install(home, app)
      if (name === 'macOS') home.replace('uname', `[ "$1" = -s ] && echo Darwin || exec /usr/bin/uname "$@"`)
      approveIn(home, opener, app, person)
      const { code, output } = await home.run(home.bin, 'ensure')
      assert.equal(code, 0, `${name}: ${output}`)
      assert.match(output, /^latchkey-ssh: To sign in, open \S+ in a browser, and enter the code \S+\n$/)
      return home
    }
    const [home] = await Promise.all(desktops.map(signInFrom))
    assert.ok(home)
    await home.run(home.bin, 'logout')
    const { code, output } = await home.run('sh', '-c', sshLine(home, sshd.port))
    assert.equal(code, 0, output)
    assert.match(output, /^latchkey-ssh: To sign in, open /)
    assert.match(output, /^in$/m)
  })

  test('a browser that nobody answers is waited for two minutes, and no other is opened for ten', async (t) => {
    const { app } = await startService(t)
    const home = newHome(t, { DISPLAY: ':0' })
    await install(home, app)
    // The clock goes on when the browser opens.
    const opened = join(home.folder, '../opened')
    home.replace('xdg-open', `echo "$1" >>${opened}`)
    const from = (seconds: number) =>
      home.replace('date', `echo $(($(/bin/date +%s) + ${seconds} + $(wc -l <${opened}) * 121))`)
    writeFileSync(opened, '')
    const count = () => readFileSync(opened, 'utf8').split('\n').length - 1
    from(0)
    const ignored = await home.run(home.bin, 'ensure')
    assert.equal(ignored.code, 1)
    assert.match(ignored.output, /Nobody has entered the code in time/)
    assert.equal(count(), 1)
    for (const [seconds, times] of [
      [300, 1],
      [601, 2],
    ] as const) {
      from(seconds)
      const { code, output } = await home.run(home.bin, 'ensure')
      assert.equal(code, 1)
      if (times === 1) assert.match(output, /^latchkey-ssh: You are not signed in\. Run: latchkey-ssh login\n$/)
      assert.equal(count(), times, output)
    }
  })

  test('without a terminal and a desktop it says in one sentence what to do, at once and without a request', async (t) => {
    const { app } = await startService(t)
    const desktop = { DISPLAY: ':0' }
    const remote = { ...desktop, SSH_CONNECTION: '192.0.2.1 1 192.0.2.2 22' }
    for (const [why, environment] of [
      ['no desktop', {}],
      ['a login by ssh', remote],
      ['no program that opens a browser', { ...desktop, PATH: pathWithout(t, 'xdg-open') }],
    ] as [string, Record<string, string>][]) {
      const home = newHome(t, environment)
      if (environment['PATH'] === undefined) home.replace('xdg-open', 'exit 0')
      await install(home, app)
      const before = countRequests(app, '/oauth/')
      const { code, output, ms } = await home.run(home.bin, 'ensure')
      assert.equal(code, 1, why)
      assert.equal(output, 'latchkey-ssh: You are not signed in. Run: latchkey-ssh login\n', why)
      assert.equal(countRequests(app, '/oauth/'), before, why)
      t.diagnostic(`${why}: ${Math.round(ms)} ms`)
    }
    const broken = newHome(t, desktop)
    broken.replace('xdg-open', 'exit 3')
    await install(broken, app)
    const { code, output } = await broken.run(broken.bin, 'ensure')
    assert.equal(code, 1)
    assert.match(output, /You are not signed in\. Run: latchkey-ssh login\n$/)
    assert.ok(!existsSync(join(stateFolder(broken), 'browser-asked')), 'the next one may open a browser')
  })
})
