import { Button } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { answer, api } from '../../api/client.ts'
import type { Client } from '../../api/shapes.ts'
import { useTexts } from '../../texts/TextsProvider.tsx'
import { ConfirmDialog } from '../../ui/ConfirmDialog.tsx'
import { Section } from '../../ui/Section.tsx'
import { clientQuery, CLIENTS_KEY } from './clients-query.ts'

/** Turns an application, a site or the application that is built in off and on. */
export function TurnClientSection({ application, mayWrite }: { application: Client; mayWrite: boolean }) {
  const texts = useTexts('admin').clients.turn
  const client = useQueryClient()
  const [isConfirming, setIsConfirming] = useState(false)
  const { client_id: clientId, disabled, name } = application
  const kind = application.builtIn ? 'builtIn' : application.clientType === 'proxied' ? 'site' : 'application'
  const said = texts[kind]
  const turn = async () => {
    const body = { disabled: !disabled }
    const changed = await answer(api.PATCH('/oauth/clients/{clientId}', { params: { path: { clientId } }, body }))
    client.setQueryData(clientQuery(clientId).queryKey, changed)
    await client.invalidateQueries({ queryKey: CLIENTS_KEY })
  }
  if (!mayWrite && !disabled && kind !== 'builtIn') return null
  return (
    <Section title={said.title} description={disabled ? said.isOff : said.isOn}>
      {mayWrite && (
        <Button
          variant={disabled ? 'filled' : 'outline'}
          color={disabled ? 'pine' : 'red'}
          onClick={() => setIsConfirming(true)}
        >
          {disabled ? texts.on : texts.off}…
        </Button>
      )}
      {isConfirming && (
        <ConfirmDialog
          title={disabled ? texts.onTitle(name) : texts.offTitle(name)}
          confirm={disabled ? texts.on : texts.off}
          safe={disabled}
          onClose={() => setIsConfirming(false)}
          action={turn}
        >
          {disabled ? said.onText : said.offText}
        </ConfirmDialog>
      )}
    </Section>
  )
}
