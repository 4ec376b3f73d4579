import { digest } from '../crypto/digest.ts'
import { issueToken } from '../crypto/token.ts'
import type { Services } from '../services.ts'
import type { Db } from '../storage/schema.ts'
import type { Parameters } from './parameters.ts'

/** An authorization request that waits for a fresh sign-in. What it asked for is ours to remember, not the browser's. */
export interface PendingRequest {
  id: string
  /** The session that was there when the request came: not the one it waits for. */
  sessionId: string | null
  createdAt: number
  parameters: Parameters
}

const LIFETIME_MS = 3_600_000

export async function rememberRequest(
  { db, now, random }: Pick<Services, 'db' | 'now' | 'random'>,
  parameters: Parameters,
  sessionId: string | null,
): Promise<PendingRequest> {
  const { plaintext: id, hash } = issueToken(random, '')
  const createdAt = now()
  await db
    .insertInto('oauth_pending_requests')
    .values({
      id_hash: hash,
      session_id: sessionId,
      parameters: JSON.stringify(parameters),
      created_at: createdAt,
      expires_at: createdAt + LIFETIME_MS,
    })
    .execute()
  return { id, sessionId, createdAt, parameters }
}

export async function findPendingRequest(db: Db, id: string, now: number): Promise<PendingRequest | undefined> {
  const row = await db
    .selectFrom('oauth_pending_requests')
    .selectAll()
    .where('id_hash', '=', digest(id))
    .where('expires_at', '>', now)
    .executeTakeFirst()
  return row && { id, sessionId: row.session_id, createdAt: row.created_at, parameters: parse(row.parameters) }
}

const parse = (parameters: string): Parameters =>
  Object.assign(Object.create(null), JSON.parse(parameters) as object) as Parameters

/** Takes a request out of storage as it is answered, so that it is answered once. */
export async function consumePendingRequest(db: Db, id: string): Promise<boolean> {
  const rows = await db
    .deleteFrom('oauth_pending_requests')
    .where('id_hash', '=', digest(id))
    .returning('id_hash')
    .execute()
  return rows.length > 0
}
