import { isPrincipal } from '../../openssh/certificate.ts'
import type { Reader, Trx } from '../../storage/database.ts'
import { findPreferredUsername, holdRolePrincipals, listRolePrincipals } from './principal-store.ts'

export interface Person {
  id: string
  preferredUsername: string
}

/** The UNIX accounts and groups that the user may log in as: the username first, then the principals of roles, sorted. */
export const listPrincipals = async (db: Reader, { id, preferredUsername }: Person): Promise<string[]> =>
  toPrincipals(preferredUsername, await listRolePrincipals(db, id))

/**
 * The same for a user whose row the caller holds, and they stay so until the transaction ends: a transaction that takes a
 * role away, or a principal out of one, waits and then finds the certificate that names it.
 */
export async function holdPrincipals(trx: Trx, userId: string): Promise<Person & { principals: string[] }> {
  const preferredUsername = (await findPreferredUsername(trx, userId)) ?? ''
  const principals = toPrincipals(preferredUsername, await holdRolePrincipals(trx, userId))
  return { id: userId, preferredUsername, principals }
}

export const toPrincipals = (preferredUsername: string, ofRoles: string[]): string[] =>
  [...new Set([preferredUsername, ...ofRoles.toSorted()])].filter(isPrincipal)
