import assert from 'node:assert/strict'
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import { StartError } from '../../../src/errors.ts'
import { readSettingsFile } from '../../../src/platform/config/config-file.ts'
import { readConfig } from '../../../src/platform/config/config.ts'
import { describeMisspelt } from '../../../src/platform/config/misspelt.ts'

const KEY = 'a secret key of at least 32 characters'

describe('a secret in a file', () => {
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-secrets-'))
  after(() => rmSync(folder, { recursive: true }))
  let count = 0
  function write(content: string): string {
    const file = join(folder, `secret-${++count}`)
    writeFileSync(file, content)
    return file
  }
  const refusal = (environment: Record<string, string>): string => {
    try {
      readConfig(environment)
    } catch (error) {
      assert.ok(error instanceof StartError)
      return error.message
    }
    return assert.fail('It was accepted.')
  }

  test('is read like the variable itself, for every secret', () => {
    const config = readConfig({
      SECRET_KEY_FILE: write(KEY),
      ADMIN_BOOTSTRAP_SECRET_FILE: write('correct horse battery'),
      SMTP_URL_FILE: write('smtp://user:password@mail.example.com'),
      DATABASE_URL_FILE: write('postgres://user:password@db.example.com/latchkey'),
      S3_URL: 'https://s3.example.com/latchkey',
      S3_ACCESS_KEY_ID: 'id',
      S3_SECRET_ACCESS_KEY_FILE: write('the secret'),
    })
    assert.equal(config.secretKey, KEY)
    assert.equal(config.adminBootstrapSecret, 'correct horse battery')
    assert.equal(config.smtpUrl, 'smtp://user:password@mail.example.com')
    assert.equal(config.databaseUrl, 'postgres://user:password@db.example.com/latchkey')
    assert.equal(config.s3?.secretAccessKey, 'the secret')
  })

  test('has no final line break, and keeps every other one', () => {
    for (const ending of ['\n', '\r\n', ''])
      assert.equal(readConfig({ SECRET_KEY_FILE: write(KEY + ending) }).secretKey, KEY)
    assert.equal(readConfig({ SECRET_KEY_FILE: write(`${KEY}\nmore\n`) }).secretKey, `${KEY}\nmore`)
  })

  test('stops the start when the variable is set too, and an empty one counts as not set', () => {
    const file = write(KEY)
    assert.match(refusal({ SECRET_KEY: KEY, SECRET_KEY_FILE: file }), /SECRET_KEY and SECRET_KEY_FILE are both set/)
    assert.equal(readConfig({ SECRET_KEY: '', SECRET_KEY_FILE: file }).secretKey, KEY)
    assert.equal(readConfig({ SECRET_KEY: KEY, SECRET_KEY_FILE: '' }).secretKey, KEY)
  })

  test('stops the start when it is missing, a folder, empty or unreadable', () => {
    const missing = join(folder, 'missing')
    assert.equal(
      refusal({ SECRET_KEY_FILE: missing }),
      `SECRET_KEY_FILE names ${JSON.stringify(missing)}, which can't be read (ENOENT).`,
    )
    assert.match(refusal({ SECRET_KEY_FILE: folder }), /EISDIR/)
    assert.match(refusal({ SECRET_KEY_FILE: write('') }), /is empty/)
    assert.match(refusal({ SECRET_KEY_FILE: write('\n') }), /is empty/)
    const closed = write(KEY)
    chmodSync(closed, 0o000)
    if (process.getuid?.() !== 0) assert.match(refusal({ SECRET_KEY_FILE: closed }), /EACCES/)
  })

  test('is never shown, not even when it is wrong', () => {
    for (const [name, content] of [
      ['SECRET_KEY_FILE', 'too short'],
      ['SMTP_URL_FILE', 'not a url but secret'],
      ['DATABASE_URL_FILE', 'mysql://root:hunter2@db'],
    ] as const) {
      const message = refusal({ [name]: write(content) })
      assert.ok(!message.includes(content) && !message.includes('hunter2'), message)
    }
  })

  test('is known in .env and in the environment, and other settings have no such variable', () => {
    writeFileSync(join(folder, '.env'), `SECRET_KEY_FILE=${write(KEY)}\n`)
    assert.match(readSettingsFile(join(folder, '.env'))['SECRET_KEY_FILE'] ?? '', /secret-/)
    assert.deepEqual(describeMisspelt({ SMTP_URL_FILE: '/run/secrets/smtp' }), [])
    writeFileSync(join(folder, '.env'), 'PORT_FILE=/tmp/port\n')
    assert.throws(() => readSettingsFile(join(folder, '.env')), /no such setting/)
  })
})
