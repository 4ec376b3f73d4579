import type { Sudo } from '../../identity/roles/sudo.ts'
import type { Services } from '../../platform/services.ts'
import {
  listManagedAdmissions,
  type HostAdmission,
  sudoByRole,
  type SudoByRole,
} from '../certificates/sudo-on-hosts.ts'
import {
  forgetName,
  giveNumbers,
  listNumberedPeople,
  markLeft,
  markListed,
  type NumberedPerson,
} from './account-store.ts'

/** Somebody who may get certificates. */
export interface Certified {
  id: string
  username: string
  roleIds: string[]
}

/** Who may log in somewhere, and what roles give them. */
interface Admitted {
  people: readonly Certified[]
  roles: readonly { id: string; sudo: Sudo }[]
  /** Usernames that are also principals of roles, and open no account. */
  clashes: ReadonlySet<string>
}

/** An account that hosts with managed accounts have, or had. */
export interface HeldAccount extends Pick<NumberedPerson, 'uid' | 'displayName'> {
  name: string
  /** The roles that admit the person now; null when they may not log in anywhere. */
  roleIds: readonly string[] | null
  /** Those that did at some time. */
  formerRoleIds: readonly string[]
  sudo: SudoByRole
}

/** For how long hosts are told of a deleted person: as long as the username is reserved. */
const KEPT_MS = 90 * 24 * 3_600_000

export const isAdmitted = (admission: HostAdmission, roleIds: readonly string[]): boolean =>
  admission === null || roleIds.some((id) => admission.includes(id))

/**
 * The accounts of all people on hosts with managed accounts. Whoever may log in to such a host for the first time gets a number here.
 * `unnumbered` people could get none, because all are given.
 */
export async function readHostAccounts(
  { db, now }: Pick<Services, 'db' | 'now'>,
  { people, roles, clashes }: Admitted,
): Promise<{ accounts: HeldAccount[]; unnumbered: number }> {
  const admissions = await listManagedAdmissions(db.read)
  if (admissions.length === 0) return { accounts: [], unnumbered: 0 }
  const admitted = new Map(
    people
      .filter(({ username, roleIds }) => !clashes.has(username) && admissions.some((each) => isAdmitted(each, roleIds)))
      .map((person) => [person.id, person]),
  )
  const before = await listNumberedPeople(db.read)
  const known = new Set(before.map(({ userId }) => userId))
  const missing = [...admitted.keys()].filter((id) => !known.has(id)).toSorted()
  const unnumbered = missing.length > 0 ? await giveNumbers(db, missing) : 0
  const numbered = missing.length > 0 ? await listNumberedPeople(db.read) : before
  await remember({ db, now }, numbered, admitted)

  const sudoOf = sudoByRole(roles)
  const accounts = numbered.flatMap(({ uid, userId, name, displayName, roleIds, isDeleted, leftAt }) => {
    if (name === null || (isDeleted && leftAt !== null && leftAt <= now() - KEPT_MS)) return []
    const held = admitted.get(userId)?.roleIds ?? null
    const sudo = Object.fromEntries(Object.entries(sudoOf).filter(([id]) => held?.includes(id)))
    return [{ uid, name, displayName, roleIds: held, formerRoleIds: [...roleIds, ...(held ?? [])], sudo }]
  })
  return { accounts, unnumbered }
}

/** Stores what is not known any more once a person, or a role of theirs, is gone. */
async function remember(
  { db, now }: Pick<Services, 'db' | 'now'>,
  numbered: readonly NumberedPerson[],
  admitted: ReadonlyMap<string, Certified>,
): Promise<void> {
  const listed = numbered.flatMap(({ userId, storedName, roleIds }) => {
    const person = admitted.get(userId)
    if (!person) return []
    const all = new Set([...roleIds, ...person.roleIds])
    const isNew = storedName !== person.username || all.size > roleIds.length
    return isNew ? [{ userId, name: person.username, roleIds: [...all].toSorted() }] : []
  })
  const left = numbered.filter(({ isDeleted, leftAt }) => isDeleted && leftAt === null)
  const forgotten = numbered.filter(
    ({ leftAt, storedName }) => leftAt !== null && leftAt <= now() - KEPT_MS && storedName !== null,
  )
  if (listed.length + left.length + forgotten.length === 0) return
  await db.transaction(async (trx) => {
    for (const each of listed) await markListed(trx, each)
    for (const { userId } of left) await markLeft(trx, userId, now())
    for (const { userId } of forgotten) await forgetName(trx, userId)
  })
}
