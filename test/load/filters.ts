import { ADMIN_ROLE, USER_ROLE } from '../../src/access/built-in-roles.ts'

/** Filters of each list that match many, few and no rows. */
export const filtersOf = (userId: string): Record<string, string[]> => ({
  '/api/admin/users': [
    'q=grown',
    'q=grown5000%40example.com',
    'q=nobody-at-all',
    'status=active',
    'status=disabled',
    `roleId=${ADMIN_ROLE}`,
    `roleId=${USER_ROLE}`,
    'roleId=none',
    `q=nobody-at-all&status=disabled&roleId=${USER_ROLE}`,
  ],
  '/api/admin/audit': [
    'action=session.refused',
    'action=session.*',
    'action=nothing.*',
    'actor=grown5%40example.com',
    `actor=${userId}`,
    `target=${userId}`,
    'outcome=refused',
    'action=user.updated&outcome=refused',
    `action=session.refused&actor=${userId}&target=${userId}`,
    'from=1&to=2',
  ],
  '/api/ssh/certs': [
    'state=valid',
    'state=expired',
    'state=revoked',
    'serial=400',
    'user=none',
    `user=${userId}`,
    `user=${userId}&state=valid`,
    `user=${userId}&state=revoked`,
  ],
  '/api/ssh/certs/mine': ['state=valid', 'state=revoked'],
  '/api/notifications': ['unread=true'],
})
