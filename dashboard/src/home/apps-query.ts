import { queryOptions } from '@tanstack/react-query'
import { answer, api } from '../api/client.ts'

export const appsQuery = queryOptions({ queryKey: ['apps'], queryFn: () => answer(api.GET('/api/account/apps')) })
