import { Button, Text } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { answer, api } from '../../api/client.ts'
import type { Client } from '../../api/shapes.ts'
import { paths } from '../../paths.ts'
import { useTexts } from '../../texts/TextsProvider.tsx'
import { ConfirmDialog } from '../../ui/FormDialog.tsx'
import { Section } from '../../ui/Section.tsx'
import { clientQuery, CLIENTS_KEY, tellingQuery } from './clients-query.ts'

/** Turns an application, a site or the application that is built in off and on. */
export function TurnClientSection({ application, mayWrite }: { application: Client; mayWrite: boolean }) {
  const texts = useTexts('admin').clients.turn
  const client = useQueryClient()
  // The change that the dialog asks about. Once it is made, `disabled` is the opposite, and the dialog is still open for a moment.
  const [asked, setAsked] = useState<{ disabled: boolean }>()
  const { client_id: clientId, disabled, name } = application
  const kind = application.builtIn ? 'builtIn' : application.clientType === 'proxied' ? 'site' : 'application'
  const said = texts[kind]
  const turn = async (body: { disabled: boolean }) => {
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
          onClick={() => setAsked({ disabled: !disabled })}
        >
          {disabled ? texts.on : texts.off}…
        </Button>
      )}
      {asked && (
        <ConfirmDialog
          title={asked.disabled ? texts.offTitle(name) : texts.onTitle(name)}
          confirm={asked.disabled ? texts.off : texts.on}
          safe={!asked.disabled}
          onClose={() => setAsked(undefined)}
          action={() => turn(asked)}
        >
          {asked.disabled ? said.offText : said.onText}
          {asked.disabled && kind === 'application' && <WhoIsTold application={application} tellsStream />}
        </ConfirmDialog>
      )}
    </Section>
  )
}

/** Whether the application itself learns at once that nobody may use it any more. */
function WhoIsTold({ application, tellsStream = false }: { application: Client; tellsStream?: boolean }) {
  const { client_id: clientId, backchannelLogoutUri: uri } = application
  const texts = useTexts('admin').clients.turn
  const { data } = useQuery(tellingQuery(clientId))
  return (
    <Text size="sm" mt="xs" style={{ overflowWrap: 'anywhere' }}>
      {uri === null ? texts.notTold : texts.told(uri)} {tellsStream && data?.stream && texts.toldStream}
    </Text>
  )
}

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
          {application.clientType !== 'proxied' && <WhoIsTold application={application} />}
        </ConfirmDialog>
      )}
    </Section>
  )
}
