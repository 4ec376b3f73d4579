import type { Selectable } from 'kysely'
import type { UserColumn } from '../../identity/users/user-store.ts'
import { avatarUrl } from '../../identity/users/user.ts'
import type { Schema } from '../../storage/schema.ts'
import { type PersonColumns, groupsOf } from './mapped-claims.ts'

/** OpenID Connect Core 5.4: what a scope lets an application know about its user. */
export const CLAIMS_OF_SCOPE = {
  profile: ['name', 'given_name', 'family_name', 'preferred_username', 'picture'],
  email: ['email', 'email_verified'],
  groups: ['groups'],
} as const

type ClaimName = (typeof CLAIMS_OF_SCOPE)[keyof typeof CLAIMS_OF_SCOPE][number]
type TextClaim = Exclude<ClaimName, 'email_verified' | 'groups'>
type ClaimValues = { [name in TextClaim]?: string } & { email_verified?: boolean; groups?: string[] }

/** The columns of `users` that the claims are made of. */
export const CLAIM_COLUMNS = [
  'users.email',
  'users.email_verified',
  'users.display_name',
  'users.given_name',
  'users.family_name',
  'users.preferred_username',
  'users.avatar_version',
] as const

/** From an outer join, where a token of client credentials has no user. */
type UserRow = {
  [column in UserColumn<(typeof CLAIM_COLUMNS)[number]>]: Selectable<Schema['users']>[column] | null
}

/** The claims of the scopes, and those that are requested by name. Claims without a value are left out. */
export function userClaims(
  row: UserRow & Pick<PersonColumns, 'heldRoles'>,
  { userId, scope, named, baseUrl }: { userId: string; scope: string; named: readonly string[]; baseUrl: string },
): ClaimValues {
  const scopes = scope.split(' ')
  const profile = scopes.includes('profile')
  const email = scopes.includes('email')
  const groups = scopes.includes('groups')
  if (!profile && !email && !groups && named.length === 0) return {}

  const claims: ClaimValues = {}
  const wants = (name: ClaimName, byScope: boolean) => byScope || named.includes(name)
  const add = (name: TextClaim, byScope: boolean, value: string | null) => {
    if (value !== null && value !== '' && wants(name, byScope)) claims[name] = value
  }
  add('name', profile, row.display_name ?? [row.given_name, row.family_name].filter((part) => part !== null).join(' '))
  add('given_name', profile, row.given_name)
  add('family_name', profile, row.family_name)
  add('preferred_username', profile, row.preferred_username)
  const picture = avatarUrl(userId, row.avatar_version)
  add('picture', profile, picture && baseUrl + picture)
  add('email', email, row.email)
  if (wants('email_verified', email)) claims.email_verified = row.email_verified === 1
  // They are read only for clients that are allowed this scope, and everybody has a role.
  if (row.heldRoles !== null && wants('groups', groups)) claims.groups = groupsOf(row)
  return claims
}
