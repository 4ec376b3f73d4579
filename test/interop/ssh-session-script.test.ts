import assert from 'node:assert/strict'
import { test } from 'node:test'
import { until } from '../support/replicas.ts'
import { newCertifiedHost } from './certified-host.ts'
import { newKeyPair, sshKeygen, temporaryFolder } from './openssh.ts'
import { needsRoot } from './session-host.ts'
import { connect, shows, withPassword } from './ssh-sessions.ts'

const AT = 'ada@127.0.0.1'

test(
  'a certificate that is revoked between authentication and record opens nothing, nor one that opens the account no more',
  needsRoot,
  async (t) => {
    const host = await newCertifiedHost(t)
    await host.run('mkdir /etc/ssh/latchkey_principals')
    host.list('ada', 'ada')
    // Another module comes first, and takes its time.
    host.write('/run/slow', '#!/bin/sh\ntouch /run/reached\nwhile [ ! -e /run/go ]; do sleep 0.05; done\n', 0o755)
    await host.run(`sed -i '/pam_loginuid/i session optional pam_exec.so type=open_session /run/slow' /etc/pam.d/sshd`)
    const ada = host.certify(1)
    const attempts: [string, () => void][] = [
      ['started', () => {}],
      ['', () => host.revoke(1)],
      ['', () => host.list('ada', 'bob')],
    ]
    for (const [shown, change] of attempts) {
      host.revoke()
      host.list('ada', 'bob', 'ada')
      await host.run('rm -f /run/reached /run/go')
      const [command, forwarding] = [host.connect(ada, AT, 'echo started'), host.connect(ada, '-N', AT)]
      await until(async () => (await host.run('ls /run')).includes('reached'))
      await until(async () => (await host.run('pgrep -c slow || true')).trim() === '2')
      change()
      await host.run('touch /run/go')
      await command.ended
      assert.equal(command.output().includes('started'), shown !== '', command.output())
      if (shown === '') {
        await forwarding.ended
        assert.deepEqual((await host.report()).sessions, [])
        assert.equal(await host.run('ls /run/latchkey-ssh/sessions'), '')
      } else {
        await until(async () => (await host.report()).sessions?.length === 1)
        forwarding.child.kill()
      }
    }
  },
)

test(
  'a script that is missing or broken locks nobody out who comes without a certificate, and no record means no session with one',
  needsRoot,
  async (t) => {
    const host = await newCertifiedHost(t)
    const [ada, byPassword] = [host.certify(1), withPassword(t)]
    const enter = async (args: string[], environment = {}) => {
      const connection = connect(t, host, [...args, 'echo started'], environment)
      await connection.ended
      return connection.output().includes('started')
    }
    const passwordOf = (account: string) => enter([...byPassword.args, `${account}@127.0.0.1`], byPassword.environment)
    const certificate = async () => {
      const connection = host.connect(ada, AT, 'echo started')
      await connection.ended
      return connection.output().includes('started')
    }
    assert.ok(await certificate())
    // Nothing can be written there.
    await host.run('rm -rf /run/latchkey-ssh && touch /run/latchkey-ssh')
    assert.deepEqual([await certificate(), await passwordOf('root'), await passwordOf('ada')], [false, true, true])
    host.write('/etc/latchkey-ssh.env', "LATCHKEY_URL='https://id.example.org'\nLATCHKEY_END_SESSIONS=off\n")
    assert.ok(await certificate(), 'who leaves sessions refuses none')
    await host.run('rm /run/latchkey-ssh')
    for (const script of ['#!/bin/sh\nexit 1\n', '#!/nowhere\n', '#!/bin/sh\nkill -9 $$\n']) {
      host.write('/usr/local/sbin/latchkey-ssh-session', script, 0o755)
      assert.ok(await passwordOf('root'), script)
    }
    await host.run('rm /usr/local/sbin/latchkey-ssh-session')
    assert.ok(await passwordOf('root'))
  },
)

test('with LATCHKEY_END_SESSIONS=off sessions are reported and left', needsRoot, async (t) => {
  const host = await newCertifiedHost(t)
  host.write('/etc/latchkey-ssh.env', "LATCHKEY_URL='https://id.example.org'\nLATCHKEY_END_SESSIONS='off'\n")
  const before = Date.now()
  const session = host.connect(host.certify('18446744073709551615'), AT, 'echo started; sleep 5001')
  await shows(session, 'started')
  host.revoke('18446744073709551615')
  await host.session('judge')
  const { sessions } = await host.report()
  const [first] = sessions ?? []
  const { startedAt = 0, ...rest } = first ?? {}
  assert.deepEqual(rest, { serial: '18446744073709551615', account: 'ada', sourceAddress: '127.0.0.1' })
  assert.ok(startedAt > before - 1000 && startedAt <= Date.now(), String(startedAt))
  host.write('/etc/latchkey-ssh.env', "LATCHKEY_URL='https://id.example.org'\nLATCHKEY_END_SESSIONS=on\n")
  await host.session('judge')
  await session.ended
})

test(
  'sessions are not known where sshd does not use PAM, or where our line is not in its rules',
  needsRoot,
  async (t) => {
    const host = await newCertifiedHost(t)
    assert.deepEqual((await host.report()).sessions, [])
    const before = host.read('/etc/pam.d/sshd')
    await host.session('remove')
    assert.deepEqual(await host.report(), { sessions: null })
    await host.session('install')
    assert.equal(host.read('/etc/pam.d/sshd'), before)
    await host.run("sed -i 's/^UsePAM.*/UsePAM no/' /etc/ssh/sshd_config")
    assert.deepEqual(await host.report(), { sessions: null })
  },
)

test(
  'only certificates of our authorities make a record, and nothing that the person has written is used for it',
  needsRoot,
  async (t) => {
    const host = await newCertifiedHost(t, { lines: 'PermitUserEnvironment yes\nAcceptEnv *\n' })
    // With these words the loader leaves a file of whatever program it starts.
    const words =
      'LD_DEBUG=libs LD_DEBUG_OUTPUT=/tmp/loaded PATH=/home/ada/bin LATCHKEY_ROOT=/home/ada SSH_AUTH_INFO_0=password'
    const foreign = newKeyPair(temporaryFolder(t), 'foreign')
    await host.run(`cd ~ada
    mkdir -m 700 .ssh bin
    for word in ${words}; do echo "$word" >>.ssh/environment; echo "\${word%%=*} DEFAULT=\${word#*=}" >>.pam_environment; done
    for each in ssh-keygen awk sed grep; do printf '#!/bin/sh\n/bin/touch /tmp/ran\n' >bin/$each; done
    echo 'cert-authority ${foreign.publicKey}' >.ssh/authorized_keys
    chmod 755 bin/*; chown -R ada: .`)
    const session = host.connect(host.certify(1), '-o', `SetEnv=${words}`, AT, 'echo started; exec /bin/sleep 5001')
    const key = newKeyPair(temporaryFolder(t), 'key')
    const other = [
      '-I',
      'x\n        Serial: 1\n        Signing CA: ED25519 SHA256:x',
      '-n',
      'ada',
      '-z',
      '1',
      '-V',
      '-1m:+1h',
    ]
    sshKeygen('-q', '-s', foreign.path, ...other, `${key.path}.pub`)
    const theirs = host.connect({ keyPath: key.path }, AT, 'echo started; exec /bin/sleep 5002')
    await Promise.all([shows(session, 'started'), shows(theirs, 'started')])
    assert.deepEqual(
      (await host.report()).sessions?.map(({ serial }) => serial),
      ['1'],
    )
    host.revoke(1)
    await host.session('judge')
    await session.ended
    assert.ok(theirs.isOpen(), theirs.output())
    assert.match(await host.run('ls /tmp'), /loaded/)
    assert.equal(await host.run('find /tmp -user root ! -path /tmp'), '')
  },
)
