import { Type } from 'typebox'
import { mayEnterSite } from '../../oauth/clients/allowed-role-store.ts'
import { clientExists, clientMayAct } from '../../oauth/clients/client-store.ts'
import { Nullable, Time } from '../../platform/http/contracts.ts'
import type { Reader, Trx } from '../../storage/database.ts'
import type { Acr } from '../../vocabulary/sign-in-methods.ts'

/** A password for a program that knows nothing else, as its owner sees it. */
export const AppPassword = Type.Object(
  {
    id: Type.String(),
    name: Type.String(),
    client_id: Type.String({ description: 'The only site where it works.' }),
    createdAt: Time,
    lastUsedAt: Nullable(Time),
    expiresAt: Nullable(Time),
  },
  { title: 'AppPassword' },
)
export type AppPassword = Type.Static<typeof AppPassword>

const COLUMNS = [
  'app_passwords.id',
  'app_passwords.name',
  'app_passwords.client_id',
  'app_passwords.created_at as createdAt',
  'app_passwords.last_used_at as lastUsedAt',
  'app_passwords.expires_at as expiresAt',
] as const

/** The newest first. */
export const listAppPasswords = (db: Reader, userId: string): Promise<AppPassword[]> =>
  db
    .selectFrom('app_passwords')
    .innerJoin('oauth_clients', 'oauth_clients.client_id', 'app_passwords.client_id')
    .where('app_passwords.user_id', '=', userId)
    .where(clientExists)
    .select(COLUMNS)
    .orderBy('app_passwords.created_at', 'desc')
    .orderBy('app_passwords.id')
    .execute()

/** A site that takes app passwords. */
export interface BasicSite {
  client_id: string
  name: string
  hosts: string[]
  requiredAcr: Acr | null
}

const MAX_SITES = 1000

/** The sites that take app passwords, are on, and that this person may enter, by name. */
export async function listBasicSites(db: Reader, userId: string, clientId?: string): Promise<BasicSite[]> {
  const rows = await db
    .selectFrom('oauth_clients')
    .where('client_type', '=', 'proxied')
    .where('basic', '=', 1)
    .where(clientMayAct)
    .where(mayEnterSite(userId))
    .$if(clientId !== undefined, (query) => query.where('client_id', '=', clientId ?? ''))
    .select(['client_id', 'name', 'hosts', 'required_acr as requiredAcr'])
    .orderBy('name')
    .orderBy('client_id')
    .limit(MAX_SITES)
    .execute()
  return rows.map((row) => Object.assign(row, { hosts: JSON.parse(row.hosts ?? '[]') as string[] }))
}

export const countAppPasswords = async (trx: Trx, userId: string, now: number): Promise<number> =>
  (
    await trx
      .selectFrom('app_passwords')
      .select('id')
      .where('user_id', '=', userId)
      .where((eb) => eb.or([eb('expires_at', 'is', null), eb('expires_at', '>', now)]))
      .execute()
  ).length

/** Fails as a missing reference when its site is gone. */
export async function addAppPassword(
  trx: Trx,
  {
    userId,
    passwordHash,
    strength,
    ...password
  }: Omit<AppPassword, 'lastUsedAt'> & { userId: string; passwordHash: string; strength: number },
): Promise<void> {
  await trx
    .insertInto('app_passwords')
    .values({
      id: password.id,
      user_id: userId,
      client_id: password.client_id,
      password_hash: passwordHash,
      name: password.name,
      created_at: password.createdAt,
      last_used_at: null,
      expires_at: password.expiresAt,
      strength,
    })
    .execute()
}

export async function markAppPasswordUsed(trx: Trx, id: string, at: number): Promise<void> {
  await trx.updateTable('app_passwords').set({ last_used_at: at }).where('id', '=', id).execute()
}

/** Undefined when that user has none of that id. */
export const deleteAppPassword = (trx: Trx, userId: string, id: string): Promise<{ name: string } | undefined> =>
  trx
    .deleteFrom('app_passwords')
    .where('id', '=', id)
    .where('user_id', '=', userId)
    .returning('name')
    .executeTakeFirst()

/** Deletes all app passwords of these users that were added at this time or later. Returns how many there were. */
export async function deleteAppPasswordsOfUsers(trx: Trx, userIds: string[], since = 0): Promise<number> {
  const deleted = await trx
    .deleteFrom('app_passwords')
    .where('user_id', 'in', userIds)
    .where('created_at', '>=', since)
    .returning('id')
    .execute()
  return deleted.length
}
