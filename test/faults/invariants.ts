import assert from 'node:assert/strict'
import { cpSync, existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import pg from 'pg'
import { USER_ROLE } from '../../src/vocabulary/built-in-roles.ts'

type Query = (sql: string) => Promise<unknown[]>

/** Each query finds the traces of a partly executed change; on a consistent database all results are empty. */
const INCONSISTENCIES: Record<string, string> = {
  'a serial that was issued twice': `select serial from ssh_certificates group by serial having count(*) > 1`,
  'a serial beyond the counter': `select serial from ssh_certificates
    where serial > (select value from counters where name = 'ssh_serial')`,
  'a certificate without exactly one audit event': withoutOneEvent('ssh_certificates', 'ssh_certificate.issued'),
  'an account without exactly one audit event': withoutOneEvent('users', 'user.registered'),
  'an account without the role of all users': `select id from users
    where not exists (select 1 from user_roles where user_id = users.id and role_id = '${USER_ROLE}')`,
  'a disabled account with a session': `select users.id from users
    join sessions on sessions.user_id = users.id where users.disabled_at is not null`,
  'a disabled account with a live authorization': `select users.id from users
    join oauth_authorization_codes codes on codes.user_id = users.id
    where users.disabled_at is not null and codes.revoked_at is null`,
  'a disabled account with a certificate': `select users.id from users
    join ssh_certificates certificates on certificates.user_id = users.id
    where users.disabled_at is not null and certificates.revoked_at is null`,
  'a disabled account without exactly one audit event of it': `select users.id from users
    left join audit_events on audit_events.target_id = users.id and audit_events.action = 'user.disabled'
    where users.disabled_at is not null group by users.id having count(audit_events.id) <> 1`,
  'a notification that was stored twice': `select user_id, data from notifications
    where type = 'user.disabled' group by user_id, data having count(*) > 1`,
}

function withoutOneEvent(table: string, action: string): string {
  return `select ${table}.id from ${table}
    left join audit_events on audit_events.target_id = ${table}.id and audit_events.action = '${action}'
    group by ${table}.id having count(audit_events.id) <> 1`
}

async function assertConsistent(query: Query): Promise<void> {
  for (const [what, sql] of Object.entries(INCONSISTENCIES)) assert.deepEqual(await query(sql), [], what)
}

/** Checks a copy of the files, because opening the originals would recover them, which the service has to do itself. */
export async function assertSoundFile(file: string): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-integrity-'))
  try {
    const copy = join(folder, basename(file))
    for (const suffix of ['', '-wal']) if (existsSync(file + suffix)) cpSync(file + suffix, copy + suffix)
    const database = new DatabaseSync(copy)
    const query: Query = async (sql) => database.prepare(sql).all()
    try {
      assert.equal(JSON.stringify(await query('PRAGMA integrity_check')), JSON.stringify([{ integrity_check: 'ok' }]))
      assert.deepEqual(await query('PRAGMA foreign_key_check'), [])
      await assertConsistent(query)
    } finally {
      database.close()
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

export async function assertSoundServer(url: string): Promise<void> {
  const client = new pg.Client(url)
  await client.connect()
  try {
    await assertConsistent(async (sql) => (await client.query(sql)).rows)
  } finally {
    await client.end()
  }
}
