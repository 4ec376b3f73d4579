import { USER_ROLE } from '../identity/access/built-in-roles.ts'
import { unpackRoles } from '../identity/users/user-row.ts'
import type { Locale } from '../vocabulary/locales.ts'
import type { VisitRow } from './visit-store.ts'

/** A person at a site. */
export interface Visitor {
  id: string
  username: string
  email: string
  isEmailVerified: boolean
  name: string
  locale: Locale | null
  roleIds: string[]
  /** Names of roles, without the one that everybody has, sorted. */
  groups: string[]
  /** By the roles that the site as a whole admits. */
  isAdmitted: boolean
  /** Has to confirm the address before it gives access anywhere. */
  mustConfirm: boolean
}

type PersonRow = Pick<
  VisitRow,
  | 'userId'
  | 'username'
  | 'email'
  | 'emailVerified'
  | 'displayName'
  | 'givenName'
  | 'familyName'
  | 'locale'
  | 'roles'
  | 'isAdmitted'
  | 'mustConfirm'
>

/** Undefined when nobody is signed in there. */
export function toVisitor(row: PersonRow): Visitor | undefined {
  if (row.userId === null) return undefined
  const roles = unpackRoles(row.roles)
  return {
    id: row.userId,
    username: row.username ?? '',
    email: row.email ?? '',
    isEmailVerified: row.emailVerified === 1,
    name: row.displayName ?? [row.givenName, row.familyName].filter((part) => part !== null).join(' '),
    locale: row.locale,
    roleIds: roles.map(({ id }) => id),
    groups: roles.flatMap(({ id, name }) => (id === USER_ROLE ? [] : [name])),
    // SQLite's truth values are numbers.
    isAdmitted: Boolean(row.isAdmitted),
    mustConfirm: Boolean(row.mustConfirm),
  }
}
