import { newId } from '../ids.ts'
import type { Trx } from '../storage/database.ts'
import { CHALLENGE_MS } from './relying-party.ts'

/** Keeps the challenge a user is to register with. There is one a user: a new one takes the place of the old. */
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

/** Keeps a challenge for whoever is about to log in, and names it. */
export async function addLoginChallenge(trx: Trx, challenge: string, now: number): Promise<string> {
  const id = newId()
  await trx
    .insertInto('passkey_challenges')
    .values({ id, user_id: null, challenge, expires_at: now + CHALLENGE_MS, created_at: now })
    .execute()
  return id
}

/** Takes the user's registration challenge out of storage. Read and delete are one statement, so it serves once. */
export async function consumeRegistrationChallenge(trx: Trx, userId: string, now: number): Promise<string | undefined> {
  const row = await trx
    .deleteFrom('passkey_challenges')
    .where('user_id', '=', userId)
    .where('expires_at', '>', now)
    .returning('challenge')
    .executeTakeFirst()
  return row?.challenge
}

/** Takes a login challenge out of storage, likewise. One that was made to register with is none. */
export async function consumeLoginChallenge(trx: Trx, id: string, now: number): Promise<string | undefined> {
  const row = await trx
    .deleteFrom('passkey_challenges')
    .where('id', '=', id)
    .where('user_id', 'is', null)
    .where('expires_at', '>', now)
    .returning('challenge')
    .executeTakeFirst()
  return row?.challenge
}
