import assert from 'node:assert/strict'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import type { ServerResponse } from 'node:http'
import { join } from 'node:path'
import { test } from 'node:test'
import { issue, saveKey } from '../ssh/public-keys.ts'
import { startApp } from '../support/app.ts'
import { createClock } from '../support/clock.ts'
import { anonymous } from '../support/people.ts'
import { findProgram, newKeyPair, sshKeygen, startSshd, temporaryFolder } from './openssh.ts'
import { signInSshUser } from './sign-in-ssh-user.ts'
import { SCRIPTS, run, newRoot, sync, install, inEtcSsh, read, startFakeServer } from './ssh-host-scripts.ts'

test('the installer fetches the files, configures sshd and starts the timer, and can run twice', async (t) => {
  const app = await startApp(t)
  const [root, url] = [newRoot(t), await app.listen()]
  for (const time of ['once', 'twice']) {
    const { code, output } = await install(root, url)
    assert.equal(code, 0, `${time}: ${output}`)
    const fingerprint = sshKeygen('-l', '-f', join(root, 'etc/ssh/trusted_user_ca.pub')).split(' ')[1] ?? ''
    assert.ok(output.includes(fingerprint))
  }
  assert.deepEqual(inEtcSsh(root), ['revoked_keys', 'sshd_config.d', 'trusted_user_ca.pub'])
  const snippet = String(read(root, 'etc/ssh/sshd_config.d/10-latchkey.conf'))
  assert.match(snippet, /^TrustedUserCAKeys \/etc\/ssh\/trusted_user_ca\.pub$/m)
  assert.match(snippet, /^RevokedKeys \/etc\/ssh\/revoked_keys$/m)
  assert.equal(String(read(root, 'etc/latchkey-ssh.env')), `LATCHKEY_URL='${url}'\n`)
  for (const name of ['latchkey-ssh-sync.service', 'latchkey-ssh-sync.timer']) {
    assert.deepEqual(read(root, `etc/systemd/system/${name}`), readFileSync(join(SCRIPTS, name)))
  }
  assert.ok(existsSync(join(root, 'etc/systemd/system/timers.target.wants/latchkey-ssh-sync.timer')))
  // The installed script finds the server by itself.
  const installed = await run(join(root, 'usr/local/sbin/latchkey-ssh-sync'), [], { LATCHKEY_ROOT: root })
  assert.deepEqual([installed.code, installed.output], [0, ''])
})

test('the installer does not change sshd when the server is unavailable, or when sshd would not read the change', async (t) => {
  const root = newRoot(t)
  const away = await startFakeServer(t, (_request, response) => response.writeHead(503).end())
  const failed = await install(root, away)
  assert.equal(failed.code, 1)
  assert.match(failed.output, /sshd was not changed/)
  assert.deepEqual(inEtcSsh(root), [])

  const app = await startApp(t)
  writeFileSync(join(root, 'etc/ssh/sshd_config'), 'UsePAM yes\n')
  const ignored = await install(root, await app.listen())
  assert.equal(ignored.code, 1)
  assert.match(ignored.output, /Include \/etc\/ssh\/sshd_config\.d\/\*\.conf/)
  assert.deepEqual(inEtcSsh(root), [])
})

test('the host setup script knows the address of its server, and does nothing unless it is complete', async (t) => {
  const first = await startApp(t)
  const address = await first.listen()
  const app = await startApp(t, { config: { baseUrl: address } })
  const response = await anonymous(app).get('/ssh/host-setup.sh', undefined, { host: 'evil.example' })
  assert.equal(response.headers['content-type'], 'text/x-shellscript; charset=utf-8')
  assert.doesNotMatch(response.body, /evil/)
  const root = newRoot(t)
  const file = join(temporaryFolder(t), 'host-setup.sh')
  const lines = response.body.trimEnd().split('\n')
  for (const share of [0.3, 0.6, 0.9]) {
    writeFileSync(file, lines.slice(0, Math.floor(lines.length * share)).join('\n'))
    await run('sh', [file], { LATCHKEY_ROOT: root })
    assert.deepEqual(inEtcSsh(root), [], `${share} of the script did something`)
  }
  writeFileSync(file, response.body)
  const { code, output } = await run('sh', ['-c', `cat ${file} | sh`], { LATCHKEY_ROOT: root })
  assert.equal(code, 0, output)
  assert.equal(String(read(root, 'etc/latchkey-ssh.env')), `LATCHKEY_URL='${address}'\n`)
  assert.equal(String(read(root, 'etc/ssh/trusted_user_ca.pub')), (await anonymous(first).get('/ssh/ca.pub')).body)
})

test('a host accepts a certificate, and refuses it from the first sync after its revocation', async (t) => {
  const app = await startApp(t, { clock: createClock(Date.now()) })
  const [root, url, person] = [newRoot(t), await app.listen(), await signInSshUser(app)]
  assert.equal((await sync(root, url)).code, 0)
  const files = { trusted: join(root, 'etc/ssh/trusted_user_ca.pub'), revoked: join(root, 'etc/ssh/revoked_keys') }
  const sshd = await startSshd(t, files)
  const { path, publicKey } = newKeyPair(temporaryFolder(t), 'laptop')
  const { id, certificate } = await issue(person, await saveKey(person, publicKey))
  assert.equal(await sshd.login(path, certificate), true, sshd.logged())
  await person.post(`/api/ssh/certs/${id}/revoke`, {})
  assert.equal((await sync(root, url)).code, 0)
  assert.equal(await sshd.login(path, certificate), false)
})

test('sshd accepts the configuration that the installer writes', async (t) => {
  const app = await startApp(t)
  const root = newRoot(t)
  await install(root, await app.listen())
  const { path } = newKeyPair(root, 'host')
  const config = join(root, 'sshd_config')
  writeFileSync(config, `Include ${root}/etc/ssh/sshd_config.d/*.conf\nHostKey ${path}\n`)
  if (process.getuid?.() === 0) mkdirSync('/run/sshd', { recursive: true, mode: 0o755 })
  const args = ['-T', '-f', config, '-C', 'user=root,host=localhost,addr=127.0.0.1']
  const { code, output } = await run(findProgram('sshd'), args, {})
  assert.equal(code, 0, output)
  assert.match(output, /^trustedusercakeys \/etc\/ssh\/trusted_user_ca\.pub$/m)
  assert.match(output, /^revokedkeys \/etc\/ssh\/revoked_keys$/m)
})

test('while the installer is at work on a host, another one changes nothing', async (t) => {
  const root = newRoot(t)
  const before = inEtcSsh(root)
  const asked = Promise.withResolvers<ServerResponse>()
  const url = await startFakeServer(t, (_request, response) => asked.resolve(response))
  const first = install(root, url)
  const response = await asked.promise
  for (const option of ['--allow-sudo', '--remove']) {
    const { code, output } = await run('sh', [join(SCRIPTS, 'install.sh'), option], {
      LATCHKEY_ROOT: root,
      LATCHKEY_URL: url,
    })
    assert.deepEqual([code, output], [1, 'latchkey: The installer is already running here. Nothing was changed.\n'])
  }
  response.writeHead(503).end()
  assert.equal((await first).code, 1)
  assert.deepEqual(inEtcSsh(root), before)
})
