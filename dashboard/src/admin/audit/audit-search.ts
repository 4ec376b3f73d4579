import { infiniteQueryOptions } from '@tanstack/react-query'
import { answer, api } from '../../api/client.ts'
import type { AuditEntry } from '../../api/shapes.ts'

/** The filter of the audit trail, as it is in the address. Days are days of the person's own calendar. */
export type AuditSearch = {
  action?: string
  about?: string
  outcome?: AuditEntry['outcome']
  from?: string
  to?: string
}

const DAY = /^\d{4}-\d{2}-\d{2}$/

export function readAuditSearch({ action, about, outcome, from, to }: Record<string, unknown>): AuditSearch {
  return {
    ...(typeof action === 'string' && action !== '' ? { action } : {}),
    ...(typeof about === 'string' && about !== '' ? { about } : {}),
    ...(outcome === 'success' || outcome === 'refused' ? { outcome } : {}),
    ...(typeof from === 'string' && DAY.test(from) ? { from } : {}),
    ...(typeof to === 'string' && DAY.test(to) ? { to } : {}),
  }
}

/** What the server is asked for. Both days belong to the range. */
export function toAuditQuery({ from, to, ...others }: AuditSearch) {
  const start = from === undefined ? Number.NaN : new Date(`${from}T00:00`).getTime()
  const last = to === undefined ? new Date(Number.NaN) : new Date(`${to}T00:00`)
  last.setDate(last.getDate() + 1)
  return {
    ...others,
    ...(Number.isNaN(start) ? {} : { from: start }),
    ...(Number.isNaN(last.getTime()) ? {} : { to: last.getTime() }),
  }
}

export const auditQuery = (search: AuditSearch) =>
  infiniteQueryOptions({
    queryKey: ['admin', 'audit', search],
    queryFn: async ({ pageParam }) => {
      const query = { ...toAuditQuery(search), ...(pageParam ? { cursor: pageParam } : {}) }
      const page = await answer(api.GET('/api/admin/audit', { params: { query } }))
      // The endpoint returns text only when CSV is requested.
      if (typeof page === 'string') throw new TypeError('The audit trail came as text.')
      return page
    },
    initialPageParam: '',
    getNextPageParam: (last) => last.nextCursor ?? undefined,
    placeholderData: (before) => before,
  })
