import assert from 'node:assert/strict'
import { existsSync, mkdirSync, statSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { describe, test, type TestContext } from 'node:test'
import { oathCode } from '../../identity/second-step/authenticator-app.ts'
import { startApp, type TestApp } from '../../support/app.ts'
import { latchkey } from '../../support/command.ts'
import { onEachEngine, type TestStorage } from '../../support/engines.ts'
import { sendRequest, sessionOf } from '../../support/http-client.ts'
import { anonymous, cookieOf, signedInPerson } from '../../support/people.ts'
import { REAL_CLOCK, startReplica, until } from '../../support/replicas.ts'
import { newFolder, newStorage } from './temporary.ts'

const socketOf = ({ databaseUrl }: TestStorage) => `${databaseUrl.slice('sqlite:'.length)}.sock`
const startOn = (t: TestContext, storage: TestStorage) =>
  startReplica(t, storage, { environment: { DATA_DIR: storage.dataDir } })

onEachEngine('latchkey beside a running service', (engine) => {
  test('admin grant makes a user an administrator immediately, and reports an unknown email', async (t) => {
    const storage = await newStorage(t, engine)
    const replica = await startOn(t, storage)
    const json = { email: 'ada@example.com', password: 'correct horse battery staple' }
    const cookie = sessionOf(await sendRequest(replica.address, 'POST', '/api/auth/register', { json }))
    const asAdministrator = () => sendRequest(replica.address, 'GET', '/api/admin/users', { cookie })
    assert.equal((await asAdministrator()).status, 403)

    const granted = await latchkey(storage, ['admin', 'grant', 'ADA@example.com'])
    assert.deepEqual(granted, { code: 0, stdout: 'ada@example.com is an administrator now.\n', stderr: '' })
    assert.equal((await asAdministrator()).status, 200)
    const again = await latchkey(storage, ['admin', 'grant', 'ada@example.com'])
    assert.deepEqual([again.code, again.stdout], [0, 'ada@example.com was an administrator already.\n'])
    const { events } = (
      await sendRequest(replica.address, 'GET', '/api/admin/audit?action=role.assigned', { cookie })
    ).json<{
      events: unknown[]
    }>()
    assert.equal(events.length, 1)

    const unknown = await latchkey(storage, ['admin', 'grant', 'nobody@example.com'])
    assert.deepEqual(unknown, {
      code: 1,
      stdout: '',
      stderr: 'latchkey: There is no account with the email nobody@example.com.\n',
    })
  })

  test('keys rotate publishes a key that the running service serves immediately', async (t) => {
    const storage = await newStorage(t, engine)
    const replica = await startOn(t, storage)
    const keys = async () => {
      const answer = await sendRequest(replica.address, 'GET', '/.well-known/jwks.json')
      return answer.json<{ keys: { kid: string }[] }>().keys.map(({ kid }) => kid)
    }
    const expectKeys = async (expected: string[]) => {
      // On PostgreSQL the replica learns of the new key through a signal, a little later.
      for (let tries = 0; tries < 200 && (await keys()).join() !== expected.join(); tries++) {
        await new Promise((resolve) => setTimeout(resolve, 25))
      }
      assert.deepEqual(await keys(), expected)
    }
    await expectKeys(['service-id-1'])
    assert.equal((await latchkey(storage, ['keys', 'rotate'])).code, 0)
    await expectKeys(['service-id-1', 'service-id-2'])
    const now = await latchkey(storage, ['keys', 'rotate', '--now'])
    assert.equal(now.stdout, 'service-id-2 signs from now on.\n')
    await expectKeys(['service-id-2', 'service-id-1'])
    const retired = await latchkey(storage, ['keys', 'rotate', '--retire-previous'])
    assert.equal(retired.stdout, 'Withdrawn: service-id-1.\n')
    await expectKeys(['service-id-2'])

    const hosts = ['keys', 'rotate-ssh-ca', '--hosts']
    const signs = await latchkey(storage, [...hosts, '--trusted-for', '0'])
    assert.match(signs.stdout, /^ssh-host-ca-2 signs from now on\. /)
    const withdrawn = await latchkey(storage, [...hosts, '--retire-previous'])
    assert.equal(withdrawn.stdout, 'Withdrawn: ssh-host-ca-1. People no longer trust it.\n')
  })
})

onEachEngine('latchkey without a running service', (engine) => {
  test('admin recover prints a link that works once, and reports an unknown email', async (t) => {
    const storage = await newStorage(t, engine)
    const replica = await startOn(t, storage)
    const json = { email: 'ada@example.com', password: 'correct horse battery staple' }
    const cookie = sessionOf(await sendRequest(replica.address, 'POST', '/api/auth/register', { json }))
    const made = await latchkey(storage, ['admin', 'recover', 'ADA@example.com'])
    assert.equal(made.code, 0, made.stderr)
    const [, token] = /\/step-up#token=(su_[\w-]{43})$/m.exec(made.stdout) ?? []
    const open = () => sendRequest(replica.address, 'POST', '/api/auth/setup-link', { cookie, json: { token } })
    assert.deepEqual([(await open()).status, (await open()).status], [200, 400])
    const unknown = await latchkey(storage, ['admin', 'recover', 'nobody@example.com'])
    assert.deepEqual([unknown.code, unknown.stdout], [1, ''])
  })

  test('admin remove-app lets somebody sign in with the password alone who has lost the app, and tells them', async (t) => {
    const storage = await newStorage(t, engine)
    const credentials = { email: 'ada@example.com', password: 'four unusual words here' }
    const login = (app: TestApp) => anonymous(app).post('/api/auth/login', credentials)
    const first = await startApp(t, { storage, clock: REAL_CLOCK })
    const person = await signedInPerson(first, credentials)
    const begun = await person.post('/api/account/totp')
    const code = oathCode(begun.json<{ secret: string }>().secret, Date.now())
    assert.equal((await person.post('/api/account/totp/confirm', { code })).statusCode, 200)
    assert.ok((await login(first)).json<{ secondStep?: object }>().secondStep)
    await first.close()

    const remove = (email: string) => latchkey(storage, ['admin', 'remove-app', email])
    assert.deepEqual(await remove('ADA@example.com'), {
      code: 0,
      stdout: 'The authenticator app of ada@example.com is removed: the password alone signs in.\n',
      stderr: '',
    })
    assert.equal((await remove('ada@example.com')).stdout, 'ada@example.com has no authenticator app.\n')
    const unknown = await remove('nobody@example.com')
    assert.deepEqual([unknown.code, unknown.stdout], [1, ''])

    const app = await startApp(t, { storage, clock: REAL_CLOCK })
    const signedIn = anonymous(app, cookieOf(await login(app)))
    assert.ok((await signedIn.get('/api/notifications')).body.includes('security.totp_removed'))
  })

  test('admin grant refuses a disabled account', async (t) => {
    const storage = await newStorage(t, engine)
    const app = await startApp(t, { storage, clock: REAL_CLOCK })
    const person = await signedInPerson(app, { email: 'off@example.com' })
    await app.services.db.transaction((trx) =>
      trx.updateTable('users').set({ disabled_at: 1 }).where('id', '=', person.user.id).execute(),
    )
    await app.close()
    const refused = await latchkey(storage, ['admin', 'grant', 'off@example.com'])
    assert.deepEqual(
      [refused.code, refused.stderr],
      [1, 'latchkey: The account off@example.com is disabled. Enable it first.\n'],
    )
  })

  test('restored ends all sessions in the configured database, notifies its administrators, and warns', async (t) => {
    const storage = await newStorage(t, engine)
    const app = await startApp(t, { storage, clock: REAL_CLOCK })
    const person = await signedInPerson(app, { admin: true })
    await app.close()
    const outcome = await latchkey(storage, ['restored'])
    assert.equal(outcome.code, 0, outcome.stderr)
    assert.match(outcome.stdout, /^Ended: 1 sessions, .*serials 1 to \d{16}\.\n$/s)
    assert.match(outcome.stderr, /WARNING/)
    const again = await startApp(t, { storage, clock: REAL_CLOCK })
    const rows = await again.services.db.read.selectFrom('notifications').select(['user_id', 'type']).execute()
    assert.deepEqual(
      rows.map(({ user_id, type }) => [user_id, type]),
      [[person.user.id, 'service.restored']],
    )
    assert.equal((await again.services.db.read.selectFrom('sessions').selectAll().execute()).length, 0)
  })
})

describe('the socket of a service on SQLite', () => {
  test('is accessible to its owner alone, is replaced after a crash, and is removed when the service stops', async (t) => {
    const storage = await newStorage(t)
    const first = await startOn(t, storage)
    assert.equal(statSync(socketOf(storage)).mode & 0o777, 0o600)
    await first.kill()
    assert.ok(existsSync(socketOf(storage)), 'left behind')
    assert.equal((await latchkey(storage, ['keys', 'rotate'])).code, 0, 'a command works in spite of it')
    const second = await startOn(t, storage)
    assert.equal((await latchkey(storage, ['keys', 'rotate'])).code, 0)
    assert.equal(await second.stop(), 0)
    assert.ok(!existsSync(socketOf(storage)))
  })

  test('refuses unknown commands and lines that are too long, and does not wait for an idle connection at shutdown', async (t) => {
    const storage = await newStorage(t)
    const replica = await startOn(t, storage)
    const send = (text: string) =>
      new Promise<string>((resolve, reject) => {
        let received = ''
        const connection = connect(socketOf(storage), () => connection.write(text))
        connection.on('data', (chunk) => (received += chunk.toString()))
        connection.on('error', reject)
        connection.on('close', () => resolve(received))
      })
    for (const text of ['{"name":"drop-everything"}\n', 'null\n', '[]\n', '{}\n', '{"name":"rotate-keys","how":3}\n']) {
      assert.match(await send(text), /does not know this command/, text)
    }
    assert.equal(await send('x'.repeat(10_000)), '', 'a line that does not end')
    const idle = connect(socketOf(storage))
    assert.equal(await replica.stop(), 0, 'an idle connection does not delay the shutdown')
    idle.destroy()
  })

  test('is left out, with a warning, when its path would be too long', async (t) => {
    const dataDir = join(newFolder(t), 'x'.repeat(120))
    mkdirSync(dataDir)
    const storage = { dataDir, databaseUrl: `sqlite:${join(dataDir, 'latchkey.db')}`, remove: async () => {} }
    const replica = await startOn(t, storage)
    await until(async () => replica.output().includes('too long for a socket'))
    const refused = await latchkey(storage, ['keys', 'rotate'])
    assert.equal(refused.code, 1)
    assert.match(refused.stderr, /^latchkey: Another Latchkey is already running on \S+\. Stop it, [^\n]*\n$/)
  })
})

test('a command that fails prints one line and exits with a code that says why, and --help prints the usage', async (t) => {
  const storage = await newStorage(t)
  const postgres = { ...storage, databaseUrl: 'postgres://nobody@127.0.0.1:1/none' }
  const cases: [TestStorage, string[], number, RegExp][] = [
    [storage, [], 2, /^$/],
    [storage, ['frobnicate'], 2, /^latchkey: There is no command "frobnicate"/],
    [storage, ['toString'], 2, /^latchkey: There is no command/],
    [storage, ['admin'], 2, /^latchkey: Usage: latchkey admin <grant \| recover \| remove-app> <email>\n$/],
    [storage, ['admin', 'take', 'x@example.com'], 2, /^latchkey: Usage/],
    [storage, ['keys', 'rotate', '--fast'], 2, /^latchkey: Unknown option '--fast'/],
    [storage, ['keys', 'rotate', '--now', '--retire-previous'], 2, /one at a time/],
    [storage, ['keys', 'rotate', '--hosts'], 2, /^latchkey: --hosts does not belong to latchkey keys rotate\.\n$/],
    [storage, ['keys', 'rotate-ssh-ca', '--hosts', '--trusted-for', '1', '--retire-previous'], 2, /one at a time/],
    [storage, ['backup'], 2, /^latchkey: Usage: latchkey backup \[--verify \| --follow\] <folder>\n$/],
    [storage, ['backup', join(storage.dataDir, 'none')], 1, /^latchkey: There is no database at /],
    [storage, ['restore', join(storage.dataDir, 'none')], 1, /no backup of Latchkey/],
    [postgres, ['backup', '/tmp/none'], 1, /pg_dump/],
    [postgres, ['restore', '/tmp/none'], 1, /pg_restore/],
    [postgres, ['admin', 'grant', 'x@example.com'], 1, /^latchkey: The database at 127\.0\.0\.1:1 can't be reached/],
  ]
  for (const [where, args, code, expected] of cases) {
    const outcome = await latchkey(where, args)
    assert.equal(outcome.code, code, `${args.join(' ')}: ${outcome.stderr}`)
    assert.match(outcome.stderr, expected)
    assert.ok(outcome.stderr.split('\n').length <= 2, outcome.stderr)
  }
  for (const args of [
    ['--help'],
    ['backup', '--help'],
    ['restore', '-h'],
    ['restored', '-h'],
    ['admin', '-h'],
    ['keys', '-h'],
  ]) {
    const { code, stdout } = await latchkey(storage, args)
    assert.equal(code, 0)
    assert.match(stdout, /^Usage: latchkey /)
  }
  writeFileSync(join(storage.dataDir, 'x'), '')
  const bad = await latchkey(storage, ['keys', 'rotate'], { PORT: 'x' })
  assert.match(bad.stderr, /^latchkey: PORT is "x", but it must be [^\n]*\n$/)
})
