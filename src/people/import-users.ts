import { type Outcome, outcomeOf } from '../access/each-outcome.ts'
import { findRoleByName } from '../access/role-store.ts'
import { refuse, refuseField } from '../errors.ts'
import type { Services } from '../services.ts'
import type { SignedInActor } from '../sessions/actor.ts'
import { changeAs } from '../sessions/hold-actor.ts'
import { dryRunning } from '../storage/database.ts'
import { EMAIL_PATTERN, normalizeEmail } from '../users/email-address.ts'
import { USERNAME_PATTERN } from '../users/preferred-username.ts'
import { findAccountByEmail } from '../users/user-store.ts'
import { inviteUser } from './invite-user.ts'

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
  const acting = dryRun ? { ...services, db: dryRunning(services.db) } : services
  const results: (Outcome & { email: string })[] = []
  const seen = new Set<string>()
  for (const row of rows) {
    const email = normalizeEmail(row.email)
    const isRepeated = seen.size === seen.add(email).size
    const outcome = await outcomeOf(services, async () =>
      isRepeated ? 'unchanged' : importOne(acting, { ...row, email }, actor),
    )
    results.push({ email: row.email, ...outcome })
  }
  return results
}

async function importOne(
  services: Services,
  { roles = [], ...row }: ImportRow,
  actor: SignedInActor,
): Promise<'done' | 'unchanged'> {
  if (!EMAIL.test(row.email)) refuseField('email', 'This is not an email address.')
  const { preferredUsername } = row
  if (preferredUsername !== undefined && !USERNAME.test(preferredUsername))
    refuseField('preferredUsername', 'This is not a username.')
  const { db } = services
  if (await findAccountByEmail(db.read, row.email)) return 'unchanged'
  const roleIds: string[] = []
  for (const name of roles) {
    const role = (await findRoleByName(db.read, name)) ?? refuse('not_found', `There is no role ${name}.`)
    roleIds.push(role)
  }
  await inviteUser(services, { ...row, roleIds }, actor)
  return 'done'
}

const EMAIL = new RegExp(EMAIL_PATTERN, 'u')
const USERNAME = new RegExp(USERNAME_PATTERN)
