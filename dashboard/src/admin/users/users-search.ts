export const STATUSES = ['active', 'invited', 'scheduled', 'disabled'] as const
export const SORTS = ['-createdAt', 'createdAt', 'email', '-email', '-lastLoginAt', 'lastLoginAt'] as const

const DIALOGS = ['create', 'import'] as const

/** The filter of the list, as it is in the address, so that a link or a reload leads to the same people. */
export type UsersSearch = {
  q?: string
  status?: (typeof STATUSES)[number]
  role?: string
  sort?: (typeof SORTS)[number]
  /** A dialog that is open. */
  open?: (typeof DIALOGS)[number]
}

export function readUsersSearch({ q, status, role, sort, open }: Record<string, unknown>): UsersSearch {
  const knownStatus = STATUSES.find((each) => each === status)
  const knownSort = SORTS.find((each) => each === sort)
  const knownDialog = DIALOGS.find((each) => each === open)
  return {
    ...(isText(q) ? { q: String(q) } : {}),
    ...(knownStatus ? { status: knownStatus } : {}),
    ...(typeof role === 'string' && role !== '' ? { role } : {}),
    ...(knownSort ? { sort: knownSort } : {}),
    ...(knownDialog ? { open: knownDialog } : {}),
  }
}

/** A text of digits only comes out of the address as a number. */
const isText = (value: unknown): boolean => (typeof value === 'string' && value !== '') || typeof value === 'number'
