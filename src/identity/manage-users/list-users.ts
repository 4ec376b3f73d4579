import { refuse } from '../../errors.ts'
import { decodeCursor } from '../../platform/http/cursor.ts'
import type { Services } from '../../platform/services.ts'
import type { Reader } from '../../storage/database.ts'
import { readHoldings } from '../roles/holdings.ts'
import { manageUsersErrors } from './manage-users-errors.ts'
import type { Person } from './user-details-store.ts'
import { readConditions, type UserFilter, type UserSort } from './user-filter-store.ts'
import { countUsers, findUserIdByName, listUsers } from './user-list-store.ts'

export interface UserListRequest extends UserFilter {
  sort?: UserSort
  limit?: number
  cursor?: string
  /** Who asks. */
  actorId: string
}

export interface UserList {
  users: Person[]
  nextCursor: string | null
  total: number
  totalIsMore: boolean
}

/** A page of users. A user whose email, username or id is exactly the text searched for comes before all others. */
export async function listUsersFor(
  { db }: Pick<Services, 'db'>,
  { limit = 50, sort = '-createdAt', cursor, actorId, ...filter }: UserListRequest,
): Promise<UserList> {
  const after = decodeCursor(cursor)
  await refuseHiddenStatus(db.read, filter, actorId)
  const { q = '' } = filter
  const conditions = await readConditions(db.read, filter, { sort, actorId })
  const first = q !== '' && limit > 1 ? await findUserIdByName(db.read, q) : undefined
  const page = await listUsers(db.read, conditions, {
    limit,
    sort,
    after,
    first,
    isInvited: filter.status === 'invited',
  })
  return { ...page, ...(await countUsers(db.read, conditions)) }
}

/** For whom an action is planned is told only to those who may plan one. */
export async function refuseHiddenStatus(db: Reader, { status }: UserFilter, actorId: string): Promise<void> {
  if (status === 'scheduled' && !(await readHoldings(db, actorId)).permissions.has('users:lifecycle'))
    refuse(manageUsersErrors.planned_actions_need_permission())
}
