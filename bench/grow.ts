import { DatabaseSync } from 'node:sqlite'

const USERS = 1_000_000
const TOKENS = 5_000_000
const HOUR = 3_600_000

/** Fills a database with so many others that nothing of it fits into SQLite's cache. Digests look like ours and are nobody's. */
export function grow(file: string, clientId: string): void {
  const db = new DatabaseSync(file)
  const counting = (most: number) =>
    `with recursive count (n) as (select 1 union all select n + 1 from count where n < ${most})`
  try {
    db.exec('PRAGMA synchronous = OFF; PRAGMA cache_size = -2000000; PRAGMA temp_store = MEMORY; BEGIN')
    db.exec(`${counting(USERS)} insert into users (id, email, preferred_username, created_at)
      select lower(hex(randomblob(16))), 'grown' || n || '@example.com', 'grown' || n, n from count`)
    const now = Date.now()
    const add = db.prepare(`${counting(TOKENS)} insert into oauth_access_tokens
      (token_hash, client_id, scope, issued_at, expires_at)
      select substr(lower(hex(randomblob(22))), 1, 43), ?, 'reports', ?, ? + n from count`)
    add.run(clientId, now, now + HOUR)
    db.exec('COMMIT; PRAGMA wal_checkpoint(TRUNCATE)')
  } finally {
    db.close()
  }
}
