import { sql, type Selectable } from 'kysely'
import { Type } from 'typebox'
import { Nullable, Time } from '../../platform/http/contracts.ts'
import { newId } from '../../platform/ids.ts'
import { readTextList } from '../../storage/columns.ts'
import type { Reader, Trx } from '../../storage/database.ts'
import type { Schema } from '../../storage/schema.ts'
import { readStatement, writeStatement, type Values } from '../../storage/statement.ts'
import { accountExists } from '../users/account-state.ts'
import type { RegistrationFacts } from './verify-registration.ts'
import type { DeviceType } from './webauthn-checks.ts'

/** A passkey as the API shows it to its owner, without the public key. */
export const Passkey = Type.Object(
  {
    id: Type.String({ format: 'uuid' }),
    credentialId: Type.String({ description: 'Base64url.' }),
    name: Type.String(),
    transports: Type.Array(Type.String()),
    deviceType: Type.Union([Type.Literal('singleDevice'), Type.Literal('multiDevice')], {
      description: 'Whether it is bound to one device or can be synchronised.',
    }),
    backedUp: Type.Boolean(),
    aaguid: Type.String({
      description: 'The model of the authenticator as it reports it; zeros when it reports none.',
    }),
    createdAt: Time,
    lastUsedAt: Nullable(Time),
  },
  { title: 'Passkey' },
)
export type Passkey = Type.Static<typeof Passkey>

const toPasskey = (row: Selectable<Schema['passkeys']>): Passkey => ({
  id: row.id,
  credentialId: row.credential_id,
  name: row.name,
  transports: readTextList(row.transports),
  deviceType: row.device_type,
  backedUp: row.backed_up === 1,
  aaguid: row.aaguid,
  createdAt: row.created_at,
  lastUsedAt: row.last_used_at,
})

/** What a login is verified against. */
export interface StoredCredential {
  id: string
  userId: string
  credentialId: string
  publicKey: Uint8Array
  deviceType: DeviceType
  ownerEmail: string
}

type NewPasskey = RegistrationFacts & { userId: string; name: string; createdAt: number }

/** Fails as a duplicate of `passkeys.credential_id` when the credential is registered already, by any user. */
export async function addPasskey(trx: Trx, passkey: NewPasskey): Promise<Passkey> {
  const row = {
    id: newId(),
    user_id: passkey.userId,
    credential_id: passkey.credentialId,
    public_key: Buffer.from(passkey.publicKey).toString('base64'),
    counter: passkey.counter,
    transports: JSON.stringify(passkey.transports),
    name: passkey.name,
    device_type: passkey.deviceType,
    backed_up: passkey.backedUp ? 1 : 0,
    aaguid: passkey.aaguid,
    created_at: passkey.createdAt,
    last_used_at: null,
    verifies: passkey.userVerified ? 1 : 0,
  }
  await trx.insertInto('passkeys').values(row).execute()
  return toPasskey(row)
}

/** The oldest first. */
export async function listPasskeys(db: Reader, userId: string): Promise<Passkey[]> {
  const rows = await db
    .selectFrom('passkeys')
    .selectAll()
    .where('user_id', '=', userId)
    .orderBy('created_at')
    .orderBy('id')
    .execute()
  return rows.map(toPasskey)
}

export async function findPasskey(db: Reader, userId: string, id: string): Promise<Passkey | undefined> {
  const row = await db
    .selectFrom('passkeys')
    .selectAll()
    .where('id', '=', id)
    .where('user_id', '=', userId)
    .executeTakeFirst()
  return row && toPasskey(row)
}

const byCredentialId = readStatement((db, value: Values<{ credentialId: string }>) =>
  db
    .selectFrom('passkeys')
    .innerJoin('users', 'users.id', 'passkeys.user_id')
    .select(['passkeys.id', 'user_id', 'credential_id', 'public_key', 'device_type', 'users.email'])
    .where('credential_id', '=', value('credentialId'))
    .where(accountExists),
)

/** Also of an account that is disabled. */
export async function findCredential(db: Reader, credentialId: string): Promise<StoredCredential | undefined> {
  const [row] = await byCredentialId(db, { credentialId })
  return (
    row && {
      id: row.id,
      userId: row.user_id,
      credentialId: row.credential_id,
      publicKey: new Uint8Array(Buffer.from(row.public_key, 'base64')),
      deviceType: row.device_type,
      ownerEmail: row.email,
    }
  )
}

interface Use {
  id: string
  counter: number
  backedUp: boolean
  userVerified: boolean
  at: number
}

const useOnce = writeStatement(
  (db, value: Values<Omit<Use, 'backedUp' | 'userVerified'> & { backedUp: number; verified: number }>) =>
    db
      .updateTable('passkeys')
      .set({
        counter: value('counter'),
        backed_up: value('backedUp'),
        last_used_at: value('at'),
        verifies: sql<number | null>`case when ${value('verified')} = 1 then 1 else verifies end`,
      })
      .where('id', '=', value('id'))
      .where(sql<boolean>`(counter < ${value('counter')} or (counter = 0 and counter = ${value('counter')}))`)
      .returning('id'),
)

/**
 * Compares and sets the counter in one statement, so that of two logins with the same counter only one succeeds. The
 * counter must have grown, unless the authenticator has none and always reports 0 (WebAuthn Level 3 §7.2, signCount).
 */
export async function markPasskeyUsed(trx: Trx, { id, counter, backedUp, userVerified, at }: Use): Promise<boolean> {
  const rows = await useOnce(trx, { id, counter, backedUp: backedUp ? 1 : 0, verified: userVerified ? 1 : 0, at })
  return rows.length > 0
}

export async function updatePasskeyName(
  trx: Trx,
  userId: string,
  id: string,
  name: string,
): Promise<Passkey | undefined> {
  const row = await trx
    .updateTable('passkeys')
    .set({ name })
    .where('id', '=', id)
    .where('user_id', '=', userId)
    .returningAll()
    .executeTakeFirst()
  return row && toPasskey(row)
}

/**
 * Deletes a passkey of the user, unless it is the only one and the account has no password. The account must be locked, so
 * that of two requests that delete the last two passkeys at the same time the second one is refused.
 */
export async function deletePasskeyUnlessLast(trx: Trx, userId: string, id: string): Promise<Passkey | undefined> {
  const row = await trx
    .deleteFrom('passkeys')
    .where('id', '=', id)
    .where('user_id', '=', userId)
    .where(({ or, exists, selectFrom }) =>
      or([
        exists(selectFrom('users').select('id').where('id', '=', userId).where('password_hash', 'is not', null)),
        exists(
          selectFrom('passkeys as others')
            .select('others.id')
            .where('others.user_id', '=', userId)
            .where('others.id', '!=', id),
        ),
      ]),
    )
    .returningAll()
    .executeTakeFirst()
  return row && toPasskey(row)
}

/** Deletes a passkey of the user, also the only one. */
export async function deletePasskey(trx: Trx, userId: string, id: string): Promise<Passkey | undefined> {
  const row = await trx
    .deleteFrom('passkeys')
    .where('id', '=', id)
    .where('user_id', '=', userId)
    .returningAll()
    .executeTakeFirst()
  return row && toPasskey(row)
}

/** Deletes the passkeys of a user that were added at this time or later, except these. Returns them. */
export async function deletePasskeysOfUser(
  trx: Trx,
  userId: string,
  { since = 0, except = [] }: { since?: number; except?: string[] } = {},
): Promise<Passkey[]> {
  const deleted = await trx
    .deleteFrom('passkeys')
    .where('user_id', '=', userId)
    .where('created_at', '>=', since)
    .where('id', 'not in', ['', ...except])
    .returningAll()
    .execute()
  return deleted.map(toPasskey)
}
