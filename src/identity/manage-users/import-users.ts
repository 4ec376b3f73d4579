import { refuse, atField } from '../../errors.ts'
import { readVisibleName } from '../../platform/http/visible-name.ts'
import type { Services } from '../../platform/services.ts'
import { dryRunning, type Reader } from '../../storage/database.ts'
import { findRoleByName, givesPermissions } from '../roles/role-store.ts'
import { MAX_ROLE_NAME } from '../roles/role.ts'
import type { SignedInActor } from '../sessions/actor.ts'
import { requireFresh } from '../sessions/fresh.ts'
import { changeAs } from '../sessions/lock-actor.ts'
import { EMAIL_PATTERN, MAX_EMAIL, normalizeEmail } from '../users/email-address.ts'
import { findAccountByEmail } from '../users/user-store.ts'
import { refuseTakenUsername, USERNAME_PATTERN } from '../users/usernames.ts'
import { inviteUser } from './invite-user.ts'
import { manageUsersErrors } from './manage-users-errors.ts'
import { type Outcome, outcomeOf } from './outcome-of-each.ts'

export interface ImportRow {
  email: string
  displayName?: string
  preferredUsername?: string
  /** Names of roles. */
  roles?: string[]
}

/** Invites many people, each on its own. One who has an account already is left as is. A dry run changes nothing. */
export async function importUsers(
  services: Services,
  { rows, dryRun = false }: { rows: ImportRow[]; dryRun?: boolean },
  actor: SignedInActor,
): Promise<(Outcome & { email: string })[]> {
  // Refused as a whole when the caller may not do it at all. Each single change checks it again.
  await changeAs(services, actor, async () => {})
  if (await givesPermissions(services.db.read, await findRoleIds(services.db.read, rows)))
    await requireFresh(services, services.db.read, actor)
  const acting = dryRun ? { ...services, db: dryRunning(services.db) } : services
  const results: (Outcome & { email: string })[] = []
  // In a dry run an earlier row has made no account that would be found.
  const [seen, usernames] = [new Set<string>(), new Set<string>()]
  for (const row of rows) {
    const email = normalizeEmail(row.email)
    const outcome = await outcomeOf(services, async () =>
      seen.has(email) ? 'unchanged' : importOne(acting, { ...row, email }, usernames, actor),
    )
    if (outcome.outcome !== 'refused') seen.add(email)
    results.push({ email: row.email, ...outcome })
  }
  return results
}

/** Of all roles that the rows name. */
async function findRoleIds(db: Reader, rows: ImportRow[]): Promise<string[]> {
  const names = new Set(rows.flatMap(({ roles = [] }) => roles))
  const ids = await Promise.all([...names].map((name) => findRoleByName(db, name)))
  return ids.filter((id) => id !== undefined)
}

async function importOne(
  services: Services,
  { roles = [], displayName: givenName, ...row }: ImportRow,
  usernames: Set<string>,
  actor: SignedInActor,
): Promise<'done' | 'unchanged'> {
  if (row.email.length > MAX_EMAIL || !EMAIL.test(row.email))
    refuse(atField('email', manageUsersErrors.not_an_email_address()))
  const displayName = givenName === undefined ? undefined : readVisibleName(givenName)
  if (displayName === null) return refuse(atField('displayName', manageUsersErrors.not_a_name()))
  const { preferredUsername } = row
  if (preferredUsername !== undefined && !USERNAME.test(preferredUsername))
    refuse(atField('preferredUsername', manageUsersErrors.not_a_username()))
  const { db } = services
  if (await findAccountByEmail(db.read, row.email)) return 'unchanged'
  if (preferredUsername !== undefined && usernames.has(preferredUsername)) refuseTakenUsername(preferredUsername)
  const roleIds: string[] = []
  for (const name of roles) {
    const role = await findRoleByName(db.read, name)
    roleIds.push(role ?? refuse(manageUsersErrors.no_role_of_this_name({ name: name.slice(0, MAX_ROLE_NAME) })))
  }
  await inviteUser(services, { ...row, ...(displayName === undefined ? {} : { displayName }), roleIds }, actor)
  if (preferredUsername !== undefined) usernames.add(preferredUsername)
  return 'done'
}

const EMAIL = new RegExp(EMAIL_PATTERN, 'u')
const USERNAME = new RegExp(USERNAME_PATTERN)
