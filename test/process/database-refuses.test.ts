import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { mkdtempSync, chmodSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { before, describe, test, after } from 'node:test'
import pg from 'pg'
import { latchkey } from '../support/command.ts'
import { type PostgresServer, startPostgres } from '../support/postgres.ts'
import { SECRET_KEY } from '../support/settings.ts'
import { start } from './start.ts'

describe('a PostgreSQL server that refuses the connection', () => {
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-hba-'))
  let server: PostgresServer
  let host: string
  before(async () => {
    const rules = join(folder, 'pg_hba.conf')
    // The server runs as another user when the tests run as root.
    chmodSync(folder, 0o755)
    writeFileSync(
      rules,
      [
        'host all latchkey,guest 127.0.0.1/32 trust',
        'host all ada 127.0.0.1/32 scram-sha-256',
        'hostssl all tls 127.0.0.1/32 trust',
      ].join('\n'),
      { mode: 0o644 },
    )
    server = await startPostgres(['-c', 'fsync=off', '-c', `hba_file=${rules}`])
    ;({ host } = new URL(server.url))
    const client = new pg.Client(`${server.url}/postgres`)
    await client.connect()
    await client.query(
      `create role ada login password 'right-password'; create role guest login; create role tls login`,
    )
    await client.end()
  })
  after(async () => {
    await server.stop()
    rmSync(folder, { recursive: true, force: true })
  })

  const CASES: Record<string, { url: () => string; expected: RegExp }> = {
    'a wrong password': {
      url: () => `postgres://ada:hidden-password@${host}/postgres`,
      expected:
        /can't be used: password authentication failed for user "ada"\. Check the user and the password in DATABASE_URL\.$/,
    },
    'a missing password': {
      url: () => `postgres://ada@${host}/postgres`,
      expected: /can't be used: .*password.* Check DATABASE_URL\.$/,
    },
    'an unknown user': {
      url: () => `postgres://latchkey:hidden-password@${host}/postgres`.replace('latchkey', 'bob'),
      expected:
        /can't be used: no pg_hba\.conf entry .* Check the user in DATABASE_URL, and pg_hba\.conf on the server\.$/,
    },
    'a missing database': {
      url: () => `postgres://latchkey:hidden-password@${host}/nowhere_${randomUUID().slice(0, 8)}`,
      expected:
        /can't be used: database "nowhere_\w+" does not exist\. Create that database, or check its name in DATABASE_URL\.$/,
    },
    'a server without TLS': {
      url: () => `postgres://latchkey:hidden-password@${host}/postgres?sslmode=verify-full`,
      expected:
        /can't be used: The server does not support SSL connections\. Check sslmode in DATABASE_URL, and TLS on the server\.$/,
    },
    'a server that requires TLS': {
      url: () => `postgres://tls:hidden-password@${host}/postgres`,
      expected: /can't be used: no pg_hba\.conf entry .*no encryption\. Check the user in DATABASE_URL/,
    },
    'a missing root certificate': {
      url: () => `postgres://latchkey:hidden-password@${host}/postgres?sslmode=verify-full&sslrootcert=/nowhere.pem`,
      expected: /can't be used: ENOENT.* Check DATABASE_URL\.$/,
    },
  }
  for (const [name, { url, expected }] of Object.entries(CASES)) {
    test(`${name} is reported in one line, by the service and by a command`, async (t) => {
      const service = await start(t, { DATABASE_URL: url(), SECRET_KEY })
      assert.equal(await service.exit(), 1)
      const command = await latchkey({ dataDir: join(folder, 'data'), databaseUrl: url() }, ['keys', 'rotate'])
      assert.equal(command.code, 1)
      for (const stderr of [service.stderr(), command.stderr]) {
        assert.match(stderr, /^latchkey: The database at 127\.0\.0\.1:\d+ [^\n]*\n$/)
        assert.match(stderr.trim(), expected)
        assert.doesNotMatch(stderr, /hidden/)
      }
      assert.equal(service.stdout() + command.stdout, '')
    })
  }

  test('a user who may not create tables is reported in one line by the service', async (t) => {
    const service = await start(t, { DATABASE_URL: `postgres://guest@${host}/postgres`, SECRET_KEY })
    assert.equal(await service.exit(), 1)
    assert.match(
      service.stderr(),
      /^latchkey: The database at \S+ can't be used: permission denied for schema public\. Its user must be allowed to create tables there\.\n$/,
    )
  })
})
