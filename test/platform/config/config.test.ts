import assert from 'node:assert/strict'
import { test } from 'node:test'
import { StartError } from '../../../src/errors.ts'
import { readConfig } from '../../../src/platform/config/config.ts'
import { VARIABLES } from '../../../src/platform/config/variables.ts'

test('without any setting, the configuration has the documented defaults', () => {
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

test('derived settings follow the settings they are derived from', () => {
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

test('OUTGOING_ALLOW lists hosts, patterns and addresses, with and without a port, and ranges', () => {
  const text = 'NAS.lan, docs.lan:443,*.home.example:8080,my_app,10.0.0.0/8,10.0.0.1:8443,fd00::/8,::1,[fd00::1]:443'
  assert.deepEqual(readConfig({ OUTGOING_ALLOW: text }).outgoingAllow, [
    'nas.lan',
    'docs.lan:443',
    '*.home.example:8080',
    'my_app',
    '10.0.0.0/8',
    '10.0.0.1:8443',
    'fd00::/8',
    '::1',
    '[fd00::1]:443',
  ])
  assert.deepEqual(readConfig({}).outgoingAllow, [])
})

test('SECURITY_CONTACT is a URI, which an email address becomes', () => {
  const contactOf = (text: string) => readConfig({ SECURITY_CONTACT: text }).securityContact
  assert.equal(contactOf('security@example.com'), 'mailto:security@example.com')
  for (const uri of ['mailto:security@example.com', 'https://example.com/security', 'tel:+49-30-123456'])
    assert.equal(contactOf(uri), uri)
  assert.equal(readConfig({}).securityContact, undefined)
})

test('an empty variable counts as not set', () => {
  assert.equal(readConfig({ PORT: '', SMTP_URL: '' }).port, 3000)
})

const INVALID: Record<string, string[]> = {
  PORT: ['x', '0', '-1', '65536', '3000.5', '0x10'],
  BASE_URL: [
    'id.example.com',
    'ftp://id.example.com',
    'https://id.example.com/path',
    'https://user@id.example.com',
    'https://id.example.com?x',
  ],
  DASHBOARD_ORIGIN: ['*', 'https://a.example,https://b.example'],
  OUTGOING_ALLOW: [
    '*',
    'https://nas.lan',
    'nas.lan/x',
    'nas.lan:0',
    'nas.lan:65536',
    '10.0.0.0/33',
    '10.0.0.0/8:443',
    '10.1',
    '010.0.0.0/8',
    '0x7f.1',
    '[fd00::1]',
    '[nas.lan]:443',
    '[10.0.0.1]:443',
    'a,,b',
  ],
  RP_ID: ['https://localhost', 'elsewhere.example', 'ocalhost'],
  ADMIN_BOOTSTRAP_SECRET: [
    'short',
    ' '.repeat(20),
    '\t \n'.repeat(10),
    ` fifteen-chars ${' '.repeat(9)}`,
    'a'.repeat(20),
    'abababababababab',
    '1234567890123456',
    'abcdefghijklmnopqrst',
    'changemechangeme',
  ],
  DATABASE_URL: ['mysql://x', 'sqlite:', 'latchkey.db'],
  SECRET_KEY: ['too short', ' '.repeat(40)],
  SMTP_URL: ['mail.example.com', 'https://mail.example.com', 'smtp://', 'smtp://:25'],
  MAIL_FROM: [
    'nobody',
    'nobody@',
    '@example.com',
    'a@b@example.com',
    'a b@example.com',
    'Latchkey <no-reply@example.com',
    'Latchkey no-reply@example.com',
    'Latchkey <no-reply@example.com> and more',
    'Example, Inc. <no-reply@example.com>',
    'a@example.com, b@example.com',
    'a@example.com\nBcc: b@example.com',
    'Latchkey\n <no-reply@example.com>',
  ],
  S3_URL: [
    's3.example.com/bucket',
    'https://s3.example.com',
    'https://s3.example.com/',
    'https://s3.example.com//',
    'https://s3.eu-central-1.amazonaws.com',
    'https://s3.example.com/bucket?region=eu',
    'https://s3.example.com/bucket#top',
  ],
  TRUST_PROXY: ['yes', '0', '17', '10.0.0.0/33', '10.0.0.1;10.0.0.2'],
  GEO_HEADERS: ['akamai', 'city=x-city', 'country=a,country=b', 'country=bad header'],
  GEOIP_DATABASE: ['/does/not/exist.mmdb', '/'],
  REGISTRATION: ['closed', 'OPEN'],
  SSH_CERT_DEFAULT_TTL: ['59', '86401', '1h'],
  SSH_CERT_MAX_TTL: ['0', '31536001', '28799'],
  SSH_HOST_PATTERNS: ['*', '*.example.com,*', '*.*', 'a b', 'host;id', ','],
  RATE_LIMITS: ['true', '0'],
  LOG_LEVEL: ['verbose'],
  SECURITY_CONTACT: [
    'security',
    'http://example.com/contact',
    'https://example.com/a\nExpires: never',
    'javascript:alert(1)',
  ],
}

for (const [name, values] of Object.entries(INVALID)) {
  test(`an invalid ${name} stops the start with one line that names it and the values it accepts`, () => {
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
            'the value is shown unless it is a secret',
          )
          return true
        },
      )
    }
  })
}

test('when the default lifetime of SSH certificates exceeds the maximum, the error names the setting that is set', () => {
  const both = { SSH_CERT_DEFAULT_TTL: '7200', SSH_CERT_MAX_TTL: '3600' }
  assert.throws(() => readConfig(both), /SSH_CERT_MAX_TTL is "3600", but it must be seconds from SSH_CERT_DEFAULT_TTL/)
  assert.throws(() => readConfig({ SSH_CERT_DEFAULT_TTL: '90000' }), /SSH_CERT_DEFAULT_TTL is "90000"/)
  assert.equal(readConfig({ SSH_CERT_DEFAULT_TTL: '600', SSH_CERT_MAX_TTL: '3600' }).sshCertMaxTtl, 3600)
})

test('an RP_ID that is a top-level domain or part of an IP address is refused', () => {
  const origin = { BASE_URL: 'https://id.example.com' }
  assert.throws(() => readConfig({ ...origin, RP_ID: 'com' }), /RP_ID is "com", but it must be .*no top-level domain/)
  assert.throws(() => readConfig({ BASE_URL: 'http://127.0.0.1:3000', RP_ID: '0.0.1' }), /RP_ID is "0\.0\.1"/)
  assert.equal(readConfig({ BASE_URL: 'http://intranet', RP_ID: 'intranet' }).rpId, 'intranet')
})

test('a password in a URL is not printed, even where the URL may not have one', () => {
  const wrong = 'https://key:hidden@s3.example.com/bucket'
  assert.throws(
    () => readConfig({ S3_URL: wrong }),
    (error) =>
      error instanceof StartError && error.message.startsWith('S3_URL is ') && !error.message.includes('hidden'),
  )
})

test('a PostgreSQL database without SECRET_KEY stops the start, with instructions', () => {
  assert.throws(
    () => readConfig({ DATABASE_URL: 'postgres://localhost/latchkey' }),
    /SECRET_KEY is not set.*openssl rand/,
  )
})

test('S3_URL without its credentials stops the start', () => {
  assert.throws(() => readConfig({ S3_URL: 'https://s3.example.com/b' }), /S3_ACCESS_KEY_ID must be set/)
  assert.throws(
    () => readConfig({ S3_URL: 'https://s3.example.com/b', S3_ACCESS_KEY_ID: 'a' }),
    /S3_SECRET_ACCESS_KEY must be set/,
  )
})

test('valid values in every supported form are accepted', () => {
  assert.equal(readConfig({ TRUST_PROXY: '2' }).trustProxy, 2)
  assert.deepEqual(readConfig({ TRUST_PROXY: '10.0.0.0/8, ::1' }).trustProxy, ['10.0.0.0/8', '::1'])
  assert.equal(readConfig({ GEO_HEADERS: 'cloudflare' }).geoHeaders?.country, 'cf-ipcountry')
  assert.deepEqual(readConfig({ GEO_HEADERS: 'country=X-C,city=X-T' }).geoHeaders, { country: 'x-c', city: 'x-t' })
  const senders = ['a@example.com', 'Latchkey <a@example.com>', '"Example, Inc." <a@example.com>', 'Über <a@localhost>']
  for (const from of senders) assert.equal(readConfig({ MAIL_FROM: from }).mailFrom, from)
  const credentials = { S3_ACCESS_KEY_ID: 'a', S3_SECRET_ACCESS_KEY: 'b' }
  for (const url of [
    'https://s3.example.com/bucket',
    'https://bucket.s3.eu-central-1.amazonaws.com',
    'http://[::1]:9000/b/',
  ]) {
    assert.equal(readConfig({ S3_URL: url, ...credentials }).s3?.url, url)
  }
  assert.equal(readConfig({ RP_NAME: 'Example, Inc.' }).mailFrom, '"Example, Inc." <no-reply@localhost>')
})

test('a bootstrap secret of 16 varied characters is accepted unchanged', () => {
  for (const secret of [
    'k3VZpQ8s-w1LxR_7',
    'four unusual words here',
    ' with spaces around it ',
    'a-secret-nobody-prints',
  ]) {
    assert.equal(readConfig({ ADMIN_BOOTSTRAP_SECRET: secret }).adminBootstrapSecret, secret)
  }
})
