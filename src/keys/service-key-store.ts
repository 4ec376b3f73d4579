import type { Db } from '../storage/schema.ts'

export type KeyPurpose = 'signing' | 'ssh-ca'
export type KeyState = 'next' | 'active' | 'previous'

export interface StoredKey {
  id: string
  purpose: KeyPurpose
  state: KeyState
  publicKey: string
  sealedPrivateKey: string
  createdAt: number
}

export const anyKeyStored = async (db: Db): Promise<boolean> =>
  (await db.selectFrom('service_keys').select('id').limit(1).execute()).length > 0

/** Oldest first. */
export async function listKeys(db: Db, purpose: KeyPurpose): Promise<StoredKey[]> {
  const rows = await db
    .selectFrom('service_keys')
    .selectAll()
    .where('purpose', '=', purpose)
    .where('retired_at', 'is', null)
    .orderBy('created_at')
    .orderBy('id')
    .execute()
  return rows.map((row) => ({
    id: row.id,
    purpose,
    state: row.state as KeyState,
    publicKey: row.public_key,
    sealedPrivateKey: row.private_key_sealed,
    createdAt: row.created_at,
  }))
}

/** Keeps the key that is there, if there is one of that id: two copies that start together end up with the same. */
export async function addKeyOnce(db: Db, key: StoredKey): Promise<void> {
  await db
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
