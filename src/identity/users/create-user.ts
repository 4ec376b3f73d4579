import { newUserId } from '../../platform/ids.ts'
import type { Services } from '../../platform/services.ts'
import type { Database, Reader, Trx } from '../../storage/database.ts'
import { isDuplicate } from '../../storage/failure.ts'
import { USER_ROLE } from '../../vocabulary/built-in-roles.ts'
import type { Locale } from '../../vocabulary/locales.ts'
import { refuseReservedEmail, refuseTakenEmail } from './email-address.ts'
import { listRetiredUsernames, takeUsername } from './retired-usernames.ts'
import { addUser, findUser } from './user-store.ts'
import type { User } from './user.ts'
import {
  isReservedUsername,
  usernameFromEmail,
  withSuffix,
  isUsernameTaken,
  takeNameFromRoles,
  refuseTakenUsername,
  listTakenUsernames,
} from './usernames.ts'

export interface NewUser {
  email: string
  passwordHash: string | null
  emailVerified?: boolean
  /** Registered by the user: the email address is not confirmed yet. */
  selfRegistered?: boolean
  displayName?: string | undefined
  locale?: Locale | undefined
  givenName?: string | undefined
  familyName?: string | undefined
  /** Taken as it is, or refused; derived from the email when absent. */
  preferredUsername?: string | undefined
  /** Packed. */
  attributes?: string | null
}

const MAX_TRIES = 5
const MAX_SUFFIX = 20

/**
 * Creates an account with the role that everyone has. When another registration takes the same derived username at the same
 * moment, the next free one is tried; when it takes the email, this one is refused.
 */
export async function createUser(
  services: Pick<Services, 'now' | 'random'>,
  db: Database,
  input: NewUser,
  inSameTransaction: (trx: Trx, user: User) => Promise<void> = async () => {},
): Promise<User> {
  for (let attempt = 1; ; attempt++) {
    const preferredUsername = input.preferredUsername ?? (await nextFreeUsername(services, db.read, input.email))
    try {
      return await db.transaction(async (trx) => {
        const user = await insert(services, trx, { ...input, preferredUsername })
        await inSameTransaction(trx, user)
        // The last lock, as in every transaction that takes it.
        await takeNameFromRoles(trx, preferredUsername)
        return user
      })
    } catch (error) {
      if (isDuplicate(error, 'users.email')) refuseTakenEmail()
      const isDuplicateName = isDuplicate(error, 'users.preferred_username')
      if (!isDuplicateName && !isUsernameTaken(error)) throw error
      if (input.preferredUsername !== undefined && isDuplicateName) refuseTakenUsername(preferredUsername)
      if (input.preferredUsername !== undefined || attempt === MAX_TRIES) throw error
    }
  }
}

async function insert(
  { now, random }: Pick<Services, 'now' | 'random'>,
  trx: Trx,
  input: NewUser & { preferredUsername: string },
) {
  const id = newUserId(random)
  await addUser(trx, {
    id,
    email: input.email,
    email_verified: input.emailVerified ? 1 : 0,
    never_confirmed: input.selfRegistered ? 1 : 0,
    password_hash: input.passwordHash,
    display_name: input.displayName ?? null,
    given_name: input.givenName ?? null,
    family_name: input.familyName ?? null,
    preferred_username: input.preferredUsername,
    avatar_version: null,
    disabled_at: null,
    created_at: now(),
    last_login_at: null,
    attributes: input.attributes ?? null,
    locale: input.locale ?? null,
  })
  await refuseReservedEmail(trx, { email: input.email, userId: id, now: now() })
  await takeUsername(trx, { username: input.preferredUsername, userId: id, now: now() })
  await giveRoleOfEverybody(trx, id)
  const user = await findUser(trx, id)
  if (!user) throw new Error('The user that was just added is not there.')
  return user
}

async function giveRoleOfEverybody(trx: Trx, userId: string): Promise<void> {
  await trx.insertInto('user_roles').values({ user_id: userId, role_id: USER_ROLE }).execute()
}

async function nextFreeUsername(
  { now, random }: Pick<Services, 'now' | 'random'>,
  db: Reader,
  email: string,
): Promise<string> {
  const base = usernameFromEmail(email)
  const candidates = Array.from({ length: MAX_SUFFIX }, (_, index) => withSuffix(base, index + 1))
  const taken = await listTakenUsernames(db, candidates)
  for (const name of await listRetiredUsernames(db, candidates, now())) taken.add(name)
  const free = candidates.find((name) => !taken.has(name) && !isReservedUsername(name))
  // All twenty candidates are taken: a random suffix is likely to be free.
  return free ?? withSuffix(base, 100_000 + (random.bytes(4).readUInt32BE() % 900_000))
}
