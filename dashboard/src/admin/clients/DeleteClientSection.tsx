import { Button } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { answer, api } from '../../api/client.ts'
import type { Client } from '../../api/shapes.ts'
import { paths } from '../../paths.ts'
import { useTexts } from '../../texts/TextsProvider.tsx'
import { ConfirmDialog } from '../../ui/ConfirmDialog.tsx'
import { Section } from '../../ui/Section.tsx'
import { CLIENTS_KEY } from './clients-query.ts'

export function DeleteClientSection({ application }: { application: Client }) {
  const texts = useTexts('admin').clients
  const client = useQueryClient()
  const navigate = useNavigate()
  const [isConfirming, setIsConfirming] = useState(false)
  const { name, client_id: clientId } = application
  const params = { path: { clientId } }
  const close = () => setIsConfirming(false)

  return (
    <Section title={texts.deleteSection} description={texts.deleteHint}>
      <Button variant="outline" color="red" onClick={() => setIsConfirming(true)}>
        {texts.delete}…
      </Button>
      {isConfirming && (
        <ConfirmDialog
          title={texts.deleteTitle(name)}
          confirm={texts.delete}
          typed={{ label: texts.typed(name), value: name }}
          onClose={close}
          action={async () => {
            await answer(api.DELETE('/oauth/clients/{clientId}', { params }))
            await navigate({ to: paths.adminClients, replace: true })
            await client.invalidateQueries({ queryKey: CLIENTS_KEY })
          }}
        >
          {texts.deleteText}
        </ConfirmDialog>
      )}
    </Section>
  )
}
