import { useMutation, useQueryClient } from '@tanstack/react-query'
import { answer, api } from '../../api/client.ts'
import type { SettingsChanges } from '../../api/shapes.ts'
import { settingsQuery } from './settings-query.ts'

/** Each form sends only its own settings, so that it undoes nothing of the others. */
export function useSaveSettings() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (body: SettingsChanges) => answer(api.PATCH('/api/admin/settings', { body })),
    onSuccess: (saved) => client.setQueryData(settingsQuery.queryKey, saved),
  })
}
