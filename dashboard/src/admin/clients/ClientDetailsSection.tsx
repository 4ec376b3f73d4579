import { Stack } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { answer, api } from '../../api/client.ts'
import type { Client } from '../../api/shapes.ts'
import { useTexts } from '../../texts/TextsProvider.tsx'
import { FailureAlert } from '../../ui/FailureAlert.tsx'
import { SaveButton } from '../../ui/SaveButton.tsx'
import { Section } from '../../ui/Section.tsx'
import { clientBody, ClientFields } from './ClientFields.tsx'
import { clientsQuery } from './clients-query.ts'

export function ClientDetailsSection({ application, mayWrite }: { application: Client; mayWrite: boolean }) {
  const texts = useTexts('admin').clients
  const client = useQueryClient()
  const [fields, setFields] = useState({
    name: application.name,
    operator: application.operator ?? '',
    redirectUris: application.redirect_uris.join('\n'),
    postLogoutRedirectUris: application.post_logout_redirect_uris.join('\n'),
    scopes: application.scopes.join(' '),
  })
  const save = useMutation({
    mutationFn: () =>
      answer(
        api.PATCH('/oauth/clients/{clientId}', {
          params: { path: { clientId: application.client_id } },
          body: clientBody(fields),
        }),
      ),
    onSuccess: () => client.invalidateQueries({ queryKey: clientsQuery.queryKey }),
  })

  return (
    <Section title={texts.details}>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          save.mutate()
        }}
      >
        <Stack>
          <ClientFields
            value={fields}
            readOnly={!mayWrite}
            onChange={(value) => {
              save.reset()
              setFields(value)
            }}
          />
          <FailureAlert failure={save.error} />
          {mayWrite && <SaveButton save={save} />}
        </Stack>
      </form>
    </Section>
  )
}
