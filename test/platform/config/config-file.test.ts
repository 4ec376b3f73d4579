import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { parseEnv } from 'node:util'
import { StartError } from '../../../src/errors.ts'
import { loadEnvironment } from '../../../src/platform/config/config.ts'

function newFolder(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-env-'))
  t.after(() => rmSync(folder, { recursive: true }))
  return folder
}

function refusalOf(folder: string, text: string): string {
  writeFileSync(join(folder, '.env'), text)
  try {
    loadEnvironment(folder)
  } catch (error) {
    assert.ok(error instanceof StartError, String(error))
    assert.ok(!error.message.includes('\n'))
    return error.message.replace(join(folder, '.env'), '.env')
  }
  return 'accepted'
}

test('.env is read if it exists, and environment variables override it', (t) => {
  const folder = newFolder(t)
  writeFileSync(join(folder, '.env'), 'RP_NAME="From the file"\nHOST=192.0.2.1\n')
  process.env['HOST'] = '127.0.0.1'
  t.after(() => delete process.env['HOST'])
  const environment = loadEnvironment(folder)
  assert.equal(environment['RP_NAME'], 'From the file')
  assert.equal(environment['HOST'], '127.0.0.1')
  assert.equal(loadEnvironment(newFolder(t))['RP_NAME'], undefined)
})

test('comments, blank lines, quotes, export, and multi-line values in .env are parsed as Node parses them', (t) => {
  const folder = newFolder(t)
  const text = `\uFEFF# first
  RP_NAME = 'It is # no comment'  # but this is

export PORT=8080\r
SECRET_KEY="one
two = three
four"
MAIL_FROM=
LOG_LEVEL=\`warn\``
  writeFileSync(join(folder, '.env'), text)
  const environment = loadEnvironment(folder)
  const expected = parseEnv(text.slice(1))
  assert.deepEqual(Object.keys(expected).length, 5)
  for (const [name, value] of Object.entries(expected)) assert.equal(environment[name], value)
  assert.equal(environment['SECRET_KEY'], 'one\ntwo = three\nfour')
})

test('an unknown name in .env stops the start, with its line number and the name that was probably meant', (t) => {
  const folder = newFolder(t)
  const cases = {
    '# c\n\nDATABSE_URL=postgres://db.example/latchkey':
      'Line 3 of .env sets DATABSE_URL, but there is no such setting. Did you mean DATABASE_URL?',
    'PROT=8080': 'Line 1 of .env sets PROT, but there is no such setting. Did you mean PORT?',
    'port=8080': 'Line 1 of .env sets port, but there is no such setting. Did you mean PORT?',
    'SECRET_KEY="a\nb\nc"\nexport POSTGRES_PASSWORD=x':
      'Line 4 of .env sets POSTGRES_PASSWORD, but there is no such setting. docs/configuration.md lists all.',
    'PATH=/usr/bin': 'Line 1 of .env sets PATH, but there is no such setting. Did you mean PORT?',
  }
  for (const [text, expected] of Object.entries(cases)) assert.equal(refusalOf(folder, text), expected)
})

test('a line in .env that is not a valid assignment stops the start, and its content is not printed', (t) => {
  const folder = newFolder(t)
  const notAssignment = 'is no assignment: it must be NAME=value, or begin with #.'
  const cases = {
    'PORT=1\nhunter2': `Line 2 of .env ${notAssignment}`,
    'PORT: 8080': `Line 1 of .env ${notAssignment}`,
    '=hunter2': `Line 1 of .env ${notAssignment}`,
    'SECRET KEY=hunter2': `Line 1 of .env ${notAssignment}`,
    'SECRET-KEY=hunter2': `Line 1 of .env ${notAssignment}`,
    'PORT\n=1': `Line 1 of .env ${notAssignment}`,
    'PORT=1\nSECRET_KEY="hunter2\nHOST=::1\n': 'Line 2 of .env sets SECRET_KEY to a value whose quote is never closed.',
    'SECRET_KEY="hunter2" hunter3': 'Line 1 of .env sets SECRET_KEY to a value that goes on after its closing quote.',
  }
  for (const [text, expected] of Object.entries(cases)) {
    const refusal = refusalOf(folder, text)
    assert.equal(refusal, expected)
    assert.doesNotMatch(refusal, /hunter/)
  }
})

test('an unreadable .env stops the start with one line', (t) => {
  const folder = newFolder(t)
  mkdirSync(join(folder, '.env'))
  assert.throws(() => loadEnvironment(folder), /\.env can't be read: EISDIR/)
})
