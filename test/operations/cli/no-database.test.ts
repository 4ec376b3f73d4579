import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import pg from 'pg'
import { latchkey } from '../../support/command.ts'
import { dropDatabase } from '../../support/postgres.ts'
import { newFolder } from './temporary.ts'

const COMMANDS = [['keys', 'rotate'], ['admin', 'grant', 'ada@example.com'], ['restored']]

test('a command in an empty or missing folder reports in one line that there is no database, and creates nothing', async (t) => {
  const folder = newFolder(t)
  for (const dataDir of [folder, join(folder, 'not/there')]) {
    const file = join(dataDir, 'latchkey.db')
    for (const args of [...COMMANDS, ['backup', join(folder, 'new/backup')]]) {
      const outcome = await latchkey({ dataDir, databaseUrl: `sqlite:${file}` }, args)
      assert.deepEqual(
        [outcome.code, outcome.stdout, outcome.stderr],
        [
          1,
          '',
          `latchkey: There is no database at ${file}. Only the service makes one: run this where its settings are, or set DATA_DIR as it has it.\n`,
        ],
        args.join(' '),
      )
    }
  }
  assert.deepEqual(readdirSync(folder), [])
})

test('a command on a file that is not a Latchkey database leaves it unchanged', async (t) => {
  const dataDir = newFolder(t)
  const other = join(dataDir, 'other.db')
  const database = new DatabaseSync(other)
  // Other programs use this name for the table of their migrations too.
  database.exec('CREATE TABLE schema_migrations (version INTEGER); INSERT INTO schema_migrations VALUES (7)')
  database.close()
  const empty = join(dataDir, 'empty.db')
  writeFileSync(empty, '')
  const text = join(dataDir, 'text.db')
  writeFileSync(text, 'This is no database, however long the text is. '.repeat(40))
  const before = [other, empty, text].map((file) => readFileSync(file))
  for (const file of [other, empty]) {
    for (const args of COMMANDS) {
      const { code, stderr } = await latchkey({ dataDir, databaseUrl: `sqlite:${file}` }, args)
      assert.deepEqual([code, stderr.split('\n').length], [1, 2], stderr)
      assert.match(stderr, /^latchkey: There is no database at /)
    }
  }
  const { code, stderr } = await latchkey({ dataDir, databaseUrl: `sqlite:${text}` }, ['keys', 'rotate'])
  assert.deepEqual(
    [code, stderr],
    [1, `latchkey: The database file ${text} can't be opened: file is not a database.\n`],
  )
  assert.deepEqual(
    [other, empty, text].map((file) => readFileSync(file)),
    before,
  )
  assert.ok(!existsSync(join(dataDir, 'secret.key')))
})

test('a command on a PostgreSQL database without our tables reports that in one line, and creates nothing', async (t) => {
  const server = process.env['TEST_POSTGRES_URL'] ?? ''
  const name = `empty_${randomUUID().replaceAll('-', '')}`
  const query = async (database: string, text: string) => {
    const client = new pg.Client(`${server}/${database}`)
    await client.connect()
    const { rows } = await client.query<{ table_name: string }>(text)
    await client.end()
    return rows
  }
  await query('postgres', `create database ${name}`)
  t.after(() => dropDatabase(server, name))
  const dataDir = join(newFolder(t), 'data')
  const { host } = new URL(server)
  for (const args of COMMANDS) {
    const outcome = await latchkey({ dataDir, databaseUrl: `${server}/${name}` }, args)
    assert.deepEqual(outcome, {
      code: 1,
      stdout: '',
      stderr: `latchkey: There is no database of Latchkey in ${host}/${name}: its tables are not there. Only the service makes them; check DATABASE_URL.\n`,
    })
  }
  const tables = await query(name, `select table_name from information_schema.tables where table_schema = 'public'`)
  assert.deepEqual(tables, [])
  assert.ok(!existsSync(dataDir))
})

test('a command names a misspelt setting before it reports that there is no database', async (t) => {
  const dataDir = newFolder(t)
  const storage = { dataDir, databaseUrl: `sqlite:${join(dataDir, 'latchkey.db')}` }
  const { code, stderr } = await latchkey(storage, ['keys', 'rotate'], {
    DATABSE_URL: 'postgres://hunter2@db/latchkey',
  })
  assert.equal(code, 1)
  assert.match(
    stderr,
    /^latchkey: DATABSE_URL is set .* Did you mean DATABASE_URL\?\nlatchkey: There is no database at .*\n$/,
  )
  assert.doesNotMatch(stderr, /hunter2/)
})

test('restore to a path where no folder can be created fails with one line', async (t) => {
  const dataDir = newFolder(t)
  const outcome = await latchkey({ dataDir: '/proc/nope', databaseUrl: 'sqlite:/proc/nope/x.db' }, ['restore', dataDir])
  assert.equal(outcome.code, 1)
  assert.equal(outcome.stderr.split('\n').length, 2, outcome.stderr)
})
