import { Button } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { answer, api } from '../../api/client.ts'
import type { Client } from '../../api/shapes.ts'
import { useTexts } from '../../texts/TextsProvider.tsx'
import { FailureAlert } from '../../ui/FailureAlert.tsx'
import { Section } from '../../ui/Section.tsx'
import { clientQuery, CLIENTS_KEY } from './clients-query.ts'

/** What can be done with an application that is part of the service: turning it off and on. */
export function BuiltInClientSection({ application, mayWrite }: { application: Client; mayWrite: boolean }) {
  const texts = useTexts('admin').clients
  const client = useQueryClient()
  const { client_id: clientId, disabled } = application
  const turn = useMutation({
    mutationFn: async () => {
      const body = { disabled: !disabled }
      const changed = await answer(api.PATCH('/oauth/clients/{clientId}', { params: { path: { clientId } }, body }))
      client.setQueryData(clientQuery(clientId).queryKey, changed)
      await client.invalidateQueries({ queryKey: CLIENTS_KEY })
    },
  })
  return (
    <Section title={texts.builtIn} description={disabled ? texts.turnedOffText : texts.builtInText}>
      <FailureAlert failure={turn.error ?? undefined} />
      {mayWrite && (
        <Button
          variant={disabled ? 'filled' : 'outline'}
          color={disabled ? 'pine' : 'red'}
          loading={turn.isPending}
          onClick={() => turn.mutate()}
        >
          {disabled ? texts.turnOn : texts.turnOff}
        </Button>
      )}
    </Section>
  )
}
