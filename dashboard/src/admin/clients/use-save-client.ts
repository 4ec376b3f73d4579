import { useMutation, useQueryClient } from '@tanstack/react-query'
import { answer, api } from '../../api/client.ts'
import type { ClientChanges } from '../../api/shapes.ts'
import { CLIENTS_KEY } from './clients-query.ts'

/** Changes some settings of an application. Each form sends only its own, so that it undoes nothing of the others. */
export function useSaveClient(clientId: string) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (body: ClientChanges) =>
      answer(api.PATCH('/oauth/clients/{clientId}', { params: { path: { clientId } }, body })),
    onSuccess: () => client.invalidateQueries({ queryKey: CLIENTS_KEY }),
  })
}
