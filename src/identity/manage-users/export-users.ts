import type { CsvColumn } from '../../platform/http/csv.ts'
import { decodeCursor } from '../../platform/http/cursor.ts'
import type { Services } from '../../platform/services.ts'
import { refuseHiddenStatus, type UserListRequest } from './list-users.ts'
import type { Person } from './user-details-store.ts'
import { readConditions } from './user-filter-store.ts'
import { findUserIdByName, listUsers } from './user-list-store.ts'

const time = (at: number | null): string => (at === null ? '' : new Date(at).toISOString())

/** The first four columns are those that an import takes. */
export const USER_COLUMNS: CsvColumn<Person>[] = [
  { name: 'email', value: ({ email }) => email },
  { name: 'displayName', value: ({ displayName }) => displayName },
  { name: 'preferredUsername', value: ({ preferredUsername }) => preferredUsername },
  {
    name: 'roles',
    value: ({ roles }) =>
      roles
        .map(({ name }) => name)
        .filter((name) => name !== 'user')
        .join('; '),
  },
  { name: 'given_name', value: ({ given_name: name }) => name },
  { name: 'family_name', value: ({ family_name: name }) => name },
  { name: 'email_verified', value: ({ email_verified: isVerified }) => String(isVerified) },
  { name: 'createdAt', value: ({ createdAt }) => time(createdAt) },
  { name: 'lastLoginAt', value: ({ lastLoginAt }) => time(lastLoginAt) },
  { name: 'disabled_at', value: ({ disabled_at: at }) => time(at) },
  { name: 'hasPasskey', value: ({ hasPasskey }) => String(hasPasskey) },
  { name: 'hasSecondStep', value: ({ hasSecondStep }) => String(hasSecondStep) },
  { name: 'id', value: ({ id }) => id },
]

const PAGE = 500

/** Everybody who matches, a page at a time, so that a long list takes no more memory than a page. */
export async function* eachUser(
  { db }: Pick<Services, 'db'>,
  { sort = '-createdAt', cursor, limit: maxUsers = Number.POSITIVE_INFINITY, actorId, ...filter }: UserListRequest,
): AsyncGenerator<Person[], void> {
  await refuseHiddenStatus(db.read, filter, actorId)
  const conditions = await readConditions(db.read, filter, { sort, actorId })
  const first = filter.q ? await findUserIdByName(db.read, filter.q) : undefined
  const isInvited = filter.status === 'invited'
  let after = decodeCursor(cursor)
  for (let left = maxUsers; left > 0;) {
    const page = await listUsers(db.read, conditions, { limit: Math.min(PAGE, left), sort, after, first, isInvited })
    yield page.users
    left -= page.users.length
    if (page.nextCursor === null) return
    after = decodeCursor(page.nextCursor)
  }
}
