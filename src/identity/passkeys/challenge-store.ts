import type { Config } from '../../platform/config/config.ts'
import { newId } from '../../platform/ids.ts'
import type { Trx, WriteTarget } from '../../storage/database.ts'
import { writeStatement, type Values } from '../../storage/statement.ts'
import type { Expectation } from './webauthn-checks.ts'

/** Stores a user's registration challenge. Each user has at most one: a new one replaces the old one. */
export async function addRegistrationChallenge(
  trx: Trx,
  userId: string,
  challenge: string,
  now: number,
): Promise<void> {
  const fresh = { id: newId(), challenge, expires_at: now + CHALLENGE_MS, created_at: now }
  await trx
    .insertInto('passkey_challenges')
    .values({ ...fresh, user_id: userId })
    .onConflict((conflict) => conflict.column('user_id').doUpdateSet(fresh))
    .execute()
}

/** Stores the challenge of a proof in a session, and returns its id. */
export async function addProofChallenge(
  trx: Trx,
  { sessionId, challenge, now }: { sessionId: string; challenge: string; now: number },
): Promise<string> {
  const id = newId()
  const row = { id, user_id: null, session_id: sessionId, challenge, expires_at: now + CHALLENGE_MS, created_at: now }
  await trx.insertInto('passkey_challenges').values(row).execute()
  return id
}

/**
 * Stores the challenge of a passkey that the browser makes by itself. It serves in this session alone, which has one at most: its id is
 * that of the session.
 */
export async function addConditionalChallenge(
  trx: Trx,
  { sessionId, challenge, now, until }: { sessionId: string; challenge: string; now: number; until: number },
): Promise<void> {
  const row = { id: sessionId, user_id: null, session_id: sessionId, challenge, expires_at: until, created_at: now }
  await trx
    .insertInto('passkey_challenges')
    .values({ ...row, conditional: 1 })
    .execute()
}

const insertLogin = writeStatement(
  (db, value: Values<{ id: string; challenge: string; expiresAt: number; now: number }>) =>
    db.insertInto('passkey_challenges').values({
      id: value('id'),
      user_id: null,
      challenge: value('challenge'),
      expires_at: value('expiresAt'),
      created_at: value('now'),
      session_id: null,
    }),
)

/** Stores a login challenge, and returns its id. */
export async function addLoginChallenge(db: WriteTarget, challenge: string, now: number): Promise<string> {
  const id = newId()
  await insertLogin(db, { id, challenge, expiresAt: now + CHALLENGE_MS, now })
  return id
}

/** Takes the user's registration challenge. Reading and deleting are one statement, so it can be used only once. */
export async function consumeRegistrationChallenge(trx: Trx, userId: string, now: number): Promise<string | undefined> {
  const row = await trx
    .deleteFrom('passkey_challenges')
    .where('user_id', '=', userId)
    .where('expires_at', '>', now)
    .returning('challenge')
    .executeTakeFirst()
  return row?.challenge
}

/** Whether this is the challenge of a passkey that the browser makes by itself, in this session. Takes it, likewise. */
export async function consumeConditionalChallenge(
  trx: Trx,
  { sessionId, challenge, now }: { sessionId: string; challenge: string; now: number },
): Promise<boolean> {
  const rows = await trx
    .deleteFrom('passkey_challenges')
    .where('id', '=', sessionId)
    .where('conditional', '=', 1)
    .where('challenge', '=', challenge)
    .where('expires_at', '>', now)
    .returning('id')
    .execute()
  return rows.length > 0
}

const takeLogin = writeStatement((db, value: Values<{ id: string; now: number }>) =>
  db
    .deleteFrom('passkey_challenges')
    .where('id', '=', value('id'))
    .where('user_id', 'is', null)
    .where('session_id', 'is', null)
    .where('expires_at', '>', value('now'))
    .returning('challenge'),
)

const takeProof = writeStatement((db, value: Values<{ id: string; sessionId: string; now: number }>) =>
  db
    .deleteFrom('passkey_challenges')
    .where('id', '=', value('id'))
    .where('session_id', '=', value('sessionId'))
    .where('conditional', '=', 0)
    .where('expires_at', '>', value('now'))
    .returning('challenge'),
)

/** Takes the challenge of a proof, likewise, in the session that it was made for. */
export async function consumeProofChallenge(
  db: WriteTarget,
  which: { id: string; sessionId: string; now: number },
): Promise<string | undefined> {
  const [row] = await takeProof(db, which)
  return row?.challenge
}

/** Takes a login challenge, likewise. A challenge of a registration or a proof does not count as one. */
export async function consumeLoginChallenge(db: WriteTarget, id: string, now: number): Promise<string | undefined> {
  const [row] = await takeLogin(db, { id, now })
  return row?.challenge
}

/** How long a challenge is valid; browsers get it as the timeout of the ceremony. */
export const CHALLENGE_MS = 300_000
export const CHALLENGE_BYTES = 32

/** What a response must match: the challenge, the dashboard's origin and the relying party. */
export const expectationOf = (
  { dashboardOrigin, rpId }: Pick<Config, 'dashboardOrigin' | 'rpId'>,
  challenge: string,
): Expectation => ({ challenge, origin: dashboardOrigin, rpId })

const USER_HANDLE = /^usr_[A-Za-z0-9_-]{22}$/

/**
 * Whether a passkey was made for an account of such a service as this one. Others may use the same RP id, and the browser must not be
 * told to forget theirs.
 */
export const isUserHandle = (handle: string | null | undefined): boolean =>
  USER_HANDLE.test(Buffer.from(handle ?? '', 'base64url').toString())

/** The id of the account is the user handle: random, no personal data (WebAuthn Level 3 §14.6.1), and below 64 bytes. */
export const userHandleOf = (userId: string): Uint8Array<ArrayBuffer> => new Uint8Array(Buffer.from(userId))
