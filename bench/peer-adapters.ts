import { DatabaseSync } from 'node:sqlite'

type Payload = Record<string, unknown> & { grantId?: string; uid?: string; consumed?: number }

/** The storage interface of oidc-provider, for the models that the benchmark uses. */
export interface Adapter {
  upsert(id: string, payload: Payload, expiresIn: number): Promise<void>
  find(id: string): Promise<Payload | undefined>
  findByUid(uid: string): Promise<Payload | undefined>
  consume(id: string): Promise<void>
  destroy(id: string): Promise<void>
  revokeByGrantId(grantId: string): Promise<void>
}

/** By what the entries are stored in: `memory`, or a SQLite file. */
export const adapterOf = (storage: string): ((model: string) => Adapter) =>
  storage === 'memory' ? memoryAdapter() : sqliteAdapter(storage)

const seconds = () => Math.floor(Date.now() / 1000)

/**
 * In memory. The package's own adapter keeps only the last 1,000 entries, and iterates over a grant's tokens for each new
 * one. This one does neither, which makes the peer faster.
 */
function memoryAdapter(): (model: string) => Adapter {
  const entries = new Map<string, Payload>()
  const uids = new Map<string, string>()
  return (model) => {
    const key = (id: string) => `${model}:${id}`
    return {
      async upsert(id, payload) {
        entries.set(key(id), payload)
        if (payload.uid !== undefined) uids.set(payload.uid, id)
      },
      find: async (id) => entries.get(key(id)),
      findByUid: async (uid) => entries.get(key(uids.get(uid) ?? '')),
      async consume(id) {
        const entry = entries.get(key(id))
        if (entry) entry.consumed = seconds()
      },
      destroy: async (id) => void entries.delete(key(id)),
      async revokeByGrantId(grantId) {
        for (const [name, { grantId: held }] of entries) if (held === grantId) entries.delete(name)
      },
    }
  }
}

const TABLE = `create table entries (
    id text primary key, payload text not null, grant_id text, uid text, consumed integer, expires_at integer not null);
    create index entries_by_grant on entries (grant_id) where grant_id is not null;
    create index entries_by_uid on entries (uid) where uid is not null`

function toPayload(row: unknown): Payload | undefined {
  const { payload, consumed } = (row ?? {}) as { payload?: string; consumed?: number | null }
  if (payload === undefined) return undefined
  return { ...(JSON.parse(payload) as Payload), ...(consumed ? { consumed } : {}) }
}

/** As durable as Latchkey: one synced commit for each write. The interface does not allow group commit. */
function sqliteAdapter(file: string): (model: string) => Adapter {
  const db = new DatabaseSync(file)
  db.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA wal_autocheckpoint = 10000')
  db.exec(TABLE)
  const upsert = db.prepare('insert or replace into entries values (?, ?, ?, ?, null, ?)')
  const find = db.prepare('select payload, consumed from entries where id = ? and expires_at > ?')
  const findByUid = db.prepare('select payload, consumed from entries where uid = ? and expires_at > ?')
  const consume = db.prepare('update entries set consumed = ? where id = ?')
  const destroy = db.prepare('delete from entries where id = ?')
  const revoke = db.prepare('delete from entries where grant_id = ?')

  return (model) => {
    const key = (id: string) => `${model}:${id}`
    return {
      async upsert(id, payload, expiresIn) {
        const { grantId = null, uid = null } = payload
        upsert.run(key(id), JSON.stringify(payload), grantId, uid, seconds() + expiresIn)
      },
      find: async (id) => toPayload(find.get(key(id), seconds())),
      findByUid: async (uid) => toPayload(findByUid.get(uid, seconds())),
      consume: async (id) => void consume.run(seconds(), key(id)),
      destroy: async (id) => void destroy.run(key(id)),
      revokeByGrantId: async (grantId) => void revoke.run(grantId),
    }
  }
}
