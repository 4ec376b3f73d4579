import assert from 'node:assert/strict'
import { cpSync, existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import pg from 'pg'
import { USER_ROLE } from '../../src/access/built-in-roles.ts'

type Query = (sql: string) => Promise<unknown[]>

/** Each finds what is half done; on a sound database none of them finds anything. */
const HALF_DONE: Record<string, string> = {
  'a serial that was issued twice': `select serial from ssh_certificates group by serial having count(*) > 1`,
  'a serial beyond the counter': `select serial from ssh_certificates
    where serial > (select value from counters where name = 'ssh_serial')`,
  'a certificate without its entry in the audit trail': once('ssh_certificates', 'ssh_certificate.issued'),
  'an account without its entry in the audit trail': once('users', 'user.registered'),
  'an account without the role that everyone has': `select id from users
    where not exists (select 1 from user_roles where user_id = users.id and role_id = '${USER_ROLE}')`,
  'a disabled account with a session': `select users.id from users
    join sessions on sessions.user_id = users.id where users.disabled_at is not null`,
  'a disabled account with a live authorization': `select users.id from users
    join oauth_authorization_codes codes on codes.user_id = users.id
    where users.disabled_at is not null and codes.revoked_at is null`,
  'a disabled account with a certificate': `select users.id from users
    join ssh_certificates certificates on certificates.user_id = users.id
    where users.disabled_at is not null and certificates.revoked_at is null`,
  'a disabled account that nobody was told of, or twice': `select users.id from users
    left join audit_events on audit_events.target_id = users.id and audit_events.action = 'user.disabled'
    where users.disabled_at is not null group by users.id having count(audit_events.id) <> 1`,
  'a notification that came twice': `select user_id, data from notifications
    where type = 'user.disabled' group by user_id, data having count(*) > 1`,
}

function once(table: string, action: string): string {
  return `select ${table}.id from ${table}
    left join audit_events on audit_events.target_id = ${table}.id and audit_events.action = '${action}'
    group by ${table}.id having count(audit_events.id) <> 1`
}

async function assertNothingHalfDone(query: Query): Promise<void> {
  for (const [what, sql] of Object.entries(HALF_DONE)) assert.deepEqual(await query(sql), [], what)
}

/** Looks at a copy of the files: opening them here would mend what the service has to mend itself. */
export async function assertSoundFile(file: string): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-autopsy-'))
  try {
    const copy = join(folder, basename(file))
    for (const suffix of ['', '-wal']) if (existsSync(file + suffix)) cpSync(file + suffix, copy + suffix)
    const database = new DatabaseSync(copy)
    const query: Query = async (sql) => database.prepare(sql).all()
    try {
      assert.equal(JSON.stringify(await query('PRAGMA integrity_check')), JSON.stringify([{ integrity_check: 'ok' }]))
      assert.deepEqual(await query('PRAGMA foreign_key_check'), [])
      await assertNothingHalfDone(query)
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
    await assertNothingHalfDone(async (sql) => (await client.query(sql)).rows)
  } finally {
    await client.end()
  }
}
