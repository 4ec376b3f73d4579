import { queryOptions } from '@tanstack/react-query'
import { answer, api } from '../../api/client.ts'

export const settingsQuery = queryOptions({
  queryKey: ['admin', 'settings'],
  queryFn: () => answer(api.GET('/api/admin/settings')),
})
