import type { Reader, Trx } from '../../storage/database.ts'
import type { Schema } from '../../storage/schema.ts'

export type KeyPurpose = Schema['service_keys']['purpose']
/** The certificate authority of users, and that of hosts. */
export type SshPurpose = Extract<KeyPurpose, 'ssh-ca' | 'ssh-host-ca'>
export type KeyState = Schema['service_keys']['state']

export interface StoredKey {
  id: string
  purpose: KeyPurpose
  state: KeyState
  publicKey: string
  sealedPrivateKey: string
  createdAt: number
  retiredAt?: number | null
  /** When a key that waits begins to sign, where that is planned. */
  signAt?: number | null
  /** When an earlier key is withdrawn, where that is planned. */
  retireAt?: number | null
}

export const hasKeys = async (db: Reader): Promise<boolean> =>
  (await db.selectFrom('service_keys').select('id').limit(1).execute()).length > 0

/** Oldest first. Withdrawn keys are listed only with `all`. */
export async function listKeys(
  db: Reader,
  purpose: KeyPurpose,
  which: 'usable' | 'all' = 'usable',
): Promise<StoredKey[]> {
  const rows = await db
    .selectFrom('service_keys')
    .selectAll()
    .where('purpose', '=', purpose)
    .$if(which === 'usable', (query) => query.where('retired_at', 'is', null))
    .orderBy('created_at')
    .orderBy('id')
    .execute()
  return rows.map((row) => ({
    id: row.id,
    purpose,
    state: row.state,
    publicKey: row.public_key,
    sealedPrivateKey: row.private_key_sealed,
    createdAt: row.created_at,
    retiredAt: row.retired_at,
    signAt: row.sign_at,
    retireAt: row.retire_at,
  }))
}

export async function isKeyRetired(db: Reader, id: string): Promise<boolean> {
  const row = await db.selectFrom('service_keys').select('retired_at').where('id', '=', id).executeTakeFirst()
  return row?.retired_at !== null
}

/** Keeps the key that is there, if there is one of that id: two replicas that start together end up with the same. */
export async function addKeyOnce(trx: Trx, key: StoredKey): Promise<void> {
  await trx
    .insertInto('service_keys')
    .values({
      id: key.id,
      purpose: key.purpose,
      state: key.state,
      public_key: key.publicKey,
      private_key_sealed: key.sealedPrivateKey,
      created_at: key.createdAt,
      retired_at: null,
    })
    .onConflict((conflict) => conflict.column('id').doNothing())
    .execute()
}

/** Replaces a publication time that lies in the future. */
export async function markPublished(trx: Trx, id: string, at: number): Promise<void> {
  await trx
    .updateTable('service_keys')
    .set({ created_at: at })
    .where('id', '=', id)
    .where('state', '=', 'next')
    .where('created_at', '>', at)
    .execute()
}

/** Makes the next key the active one. False when another replica has done so already. */
export async function markActivated(trx: Trx, purpose: KeyPurpose, id: string): Promise<boolean> {
  const activated = await trx
    .updateTable('service_keys')
    .set({ state: 'active' })
    .where('id', '=', id)
    .where('state', '=', 'next')
    .returning('id')
    .execute()
  if (activated.length === 0) return false
  await trx
    .updateTable('service_keys')
    .set({ state: 'previous' })
    .where('purpose', '=', purpose)
    .where('state', '=', 'active')
    .where('id', '!=', id)
    .execute()
  return true
}

export async function markRetired(trx: Trx, purpose: KeyPurpose, at: number): Promise<string[]> {
  const rows = await trx
    .updateTable('service_keys')
    .set({ retired_at: at })
    .where('purpose', '=', purpose)
    .where('state', '=', 'previous')
    .where('retired_at', 'is', null)
    .returning('id')
    .execute()
  return rows.map(({ id }) => id)
}

export async function setSignTime(trx: Trx, id: string, at: number): Promise<void> {
  await trx.updateTable('service_keys').set({ sign_at: at }).where('id', '=', id).where('state', '=', 'next').execute()
}

/** For earlier keys that have no such time yet. */
export async function setRetireTime(trx: Trx, purpose: KeyPurpose, at: number): Promise<void> {
  await trx
    .updateTable('service_keys')
    .set({ retire_at: at })
    .where('purpose', '=', purpose)
    .where('state', '=', 'previous')
    .where('retired_at', 'is', null)
    .where('retire_at', 'is', null)
    .execute()
}

/** Withdraws the earlier keys whose time has come. */
export async function markRetiredInTime(trx: Trx, purpose: KeyPurpose, now: number): Promise<string[]> {
  const rows = await trx
    .updateTable('service_keys')
    .set({ retired_at: now })
    .where('purpose', '=', purpose)
    .where('state', '=', 'previous')
    .where('retired_at', 'is', null)
    .where('retire_at', '<=', now)
    .returning('id')
    .execute()
  return rows.map(({ id }) => id)
}

/** Replaces what is sealed, if it is still what was read. False when another process has changed it. */
export async function replaceSealed(
  trx: Trx,
  { id, from, to }: { id: string; from: string; to: string },
): Promise<boolean> {
  const rows = await trx
    .updateTable('service_keys')
    .set({ private_key_sealed: to })
    .where('id', '=', id)
    .where('private_key_sealed', '=', from)
    .returning('id')
    .execute()
  return rows.length === 1
}

/** One change of the signing keys at a time, on all replicas: from here to the end of the transaction. */
export async function lockKeys(trx: Trx): Promise<void> {
  await trx.selectFrom('counters').select('name').where('name', '=', SKIPPED).forNoKeyUpdate().execute()
}

/** Key numbers that may have been used after a restored backup was made. They are skipped, so that no id names two keys. */
export async function countSkipped(db: Reader): Promise<number> {
  const row = await db.selectFrom('counters').select('value').where('name', '=', SKIPPED).executeTakeFirst()
  return Number(row?.value ?? 0)
}

/** The seconds since 1970: more than the number of keys ever made, and more at every restore. */
export async function skipKeyNumbers(trx: Trx, now: number): Promise<void> {
  await trx
    .updateTable('counters')
    .set({ value: BigInt(Math.floor(now / 1000)) })
    .where('name', '=', SKIPPED)
    .execute()
}

const SKIPPED = 'signing_keys_skipped'

/** From then on the server metadata lists RS256 among the algorithms of ID tokens. */
export async function markRsaAskedFor(trx: Trx): Promise<void> {
  await trx
    .insertInto('counters')
    .values({ name: RSA_ID_TOKENS, value: 1n })
    .onConflict((conflict) => conflict.column('name').doNothing())
    .execute()
}

/** Whether a client has ever asked for ID tokens with RS256. */
export const wasRsaAskedFor = async (db: Reader): Promise<boolean> =>
  (await db.selectFrom('counters').select('name').where('name', '=', RSA_ID_TOKENS).execute()).length > 0

const RSA_ID_TOKENS = 'rsa_id_tokens'
