import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { loadEnvironment, readConfig } from '../../src/config.ts'
import { VARIABLES } from '../../src/config-variables.ts'
import { StartError } from '../../src/errors.ts'

test('nothing set gives the documented defaults', () => {
  const config = readConfig({})
  assert.equal(config.port, 3000)
  assert.equal(config.host, '127.0.0.1')
  assert.equal(config.baseUrl, 'http://localhost:3000')
  assert.equal(config.dashboardOrigin, 'http://localhost:3000')
  assert.equal(config.rpId, 'localhost')
  assert.equal(config.rpName, 'Latchkey')
  assert.match(config.databaseUrl, /^sqlite:.*data\/latchkey\.db$/)
  assert.equal(config.registration, 'open')
  assert.equal(config.sshCertDefaultTtl, 28800)
  assert.equal(config.sshCertMaxTtl, 86400)
  assert.equal(config.rateLimits, true)
  assert.equal(config.logLevel, 'info')
})

test('what is derived follows what it is derived from', () => {
  const config = readConfig({ PORT: '8080' })
  assert.equal(config.baseUrl, 'http://localhost:8080')
  const hosted = readConfig({
    BASE_URL: 'https://id.example.com/',
    DASHBOARD_ORIGIN: 'https://app.example.com',
    RP_ID: 'example.com',
  })
  assert.equal(hosted.baseUrl, 'https://id.example.com')
  assert.equal(hosted.rpId, 'example.com')
  assert.equal(hosted.mailFrom, 'Latchkey <no-reply@id.example.com>')
})

test('an empty variable counts as not set', () => {
  assert.equal(readConfig({ PORT: '', SMTP_URL: '' }).port, 3000)
})

const BAD: Record<string, string[]> = {
  PORT: ['x', '-1', '65536', '3000.5', '0x10'],
  BASE_URL: [
    'id.example.com',
    'ftp://id.example.com',
    'https://id.example.com/path',
    'https://user@id.example.com',
    'https://id.example.com?x',
  ],
  DASHBOARD_ORIGIN: ['*', 'https://a.example,https://b.example'],
  RP_ID: ['https://localhost', 'elsewhere.example', 'ocalhost'],
  ADMIN_BOOTSTRAP_SECRET: ['short'],
  DATABASE_URL: ['mysql://x', 'sqlite:', 'latchkey.db'],
  SECRET_KEY: ['too short'],
  SMTP_URL: ['mail.example.com', 'https://mail.example.com'],
  MAIL_FROM: ['nobody', 'a@example.com\nBcc: b@example.com'],
  S3_URL: ['s3.example.com/bucket'],
  TRUST_PROXY: ['yes', '0', '17', '10.0.0.0/33', '10.0.0.1;10.0.0.2'],
  GEO_HEADERS: ['akamai', 'city=x-city', 'country=a,country=b', 'country=bad header'],
  GEOIP_DATABASE: ['/does/not/exist.mmdb'],
  REGISTRATION: ['closed', 'OPEN'],
  SSH_CERT_DEFAULT_TTL: ['59', '86401', '1h'],
  SSH_CERT_MAX_TTL: ['0', '31536001'],
  RATE_LIMITS: ['true', '0'],
  LOG_LEVEL: ['verbose'],
}

for (const [name, values] of Object.entries(BAD)) {
  test(`a bad ${name} stops the start with one line that names it and what it may hold`, () => {
    const { secret } = VARIABLES[name as keyof typeof VARIABLES]
    for (const value of values) {
      assert.throws(
        () => readConfig({ [name]: value }),
        (error) => {
          assert.ok(error instanceof StartError, `${value} was accepted`)
          assert.ok(!error.message.includes('\n'))
          assert.match(error.message, new RegExp(`^${name} is .* but it must be `))
          assert.equal(
            error.message.includes(JSON.stringify(value)),
            !secret,
            'a secret is never shown, the rest always',
          )
          return true
        },
      )
    }
  })
}

test('PostgreSQL without SECRET_KEY does not start, and says what to do', () => {
  assert.throws(
    () => readConfig({ DATABASE_URL: 'postgres://localhost/latchkey' }),
    /SECRET_KEY is not set.*openssl rand/,
  )
})

test('S3_URL without its credentials does not start', () => {
  assert.throws(() => readConfig({ S3_URL: 'https://s3.example.com/b' }), /S3_ACCESS_KEY_ID must be set/)
  assert.throws(
    () => readConfig({ S3_URL: 'https://s3.example.com/b', S3_ACCESS_KEY_ID: 'a' }),
    /S3_SECRET_ACCESS_KEY must be set/,
  )
})

test('good values of every shape are taken', () => {
  assert.equal(readConfig({ TRUST_PROXY: '2' }).trustProxy, 2)
  assert.deepEqual(readConfig({ TRUST_PROXY: '10.0.0.0/8, ::1' }).trustProxy, ['10.0.0.0/8', '::1'])
  assert.equal(readConfig({ GEO_HEADERS: 'cloudflare' }).geoHeaders?.country, 'cf-ipcountry')
  assert.deepEqual(readConfig({ GEO_HEADERS: 'country=X-C,city=X-T' }).geoHeaders, { country: 'x-c', city: 'x-t' })
  assert.equal(readConfig({ SSH_CERT_MAX_TTL: '3600' }).sshCertDefaultTtl, 3600)
})

test('.env is read where there is one, and the environment wins', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-env-'))
  t.after(() => rmSync(folder, { recursive: true }))
  writeFileSync(join(folder, '.env'), 'RP_NAME="From the file"\nPATH=/nowhere\n')
  const environment = loadEnvironment(folder)
  assert.equal(environment['RP_NAME'], 'From the file')
  assert.notEqual(environment['PATH'], '/nowhere')
})
