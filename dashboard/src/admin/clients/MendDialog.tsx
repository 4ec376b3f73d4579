import { Code, NativeSelect, Stack, Text } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { isRefusal } from '../../api/failure.ts'
import type { Client, ClientChanges } from '../../api/shapes.ts'
import { useMay } from '../../session/me.ts'
import { useTexts } from '../../texts/TextsProvider.tsx'
import { FormDialog } from '../../ui/FormDialog.tsx'
import { rolesQuery } from '../users/user-queries.ts'
import { clientQuery } from './clients-query.ts'
import type { Mend } from './refusal-case.ts'
import { useSaveClient } from './use-save-client.ts'

type Props = { mend: Mend; application: Client; onClose: () => void }

/** Asks before it changes the application so that a request like the refused one is accepted. */
export function MendDialog({ mend, application, onClose }: Props) {
  const texts = useTexts('applications').diagnosis
  const queries = useQueryClient()
  const save = useSaveClient(application.client_id)
  const roles = useQuery({ ...rolesQuery, enabled: useMay()('roles:read') && mend.kind === 'role' })
  const [roleId, setRoleId] = useState('')
  const { forbidden } = useTexts('applications').signIn
  const choices = (roles.data?.roles ?? []).filter(({ id }) => application.allowedRoles?.includes(id) !== true)

  const action = async () => {
    // What somebody else has changed meanwhile stays.
    const { client } = await queries.fetchQuery({ ...clientQuery(application.client_id), staleTime: 0 })
    await save.mutateAsync(changesFor(mend, client, roleId)).catch((error: unknown) => {
      throw mend.kind === 'pkce' && isRefusal(error, 'conflict') ? new Error(forbidden) : error
    })
  }

  return (
    <FormDialog
      title={texts.mend[mend.kind]}
      submit={texts.confirm[mend.kind]}
      disabled={mend.kind === 'role' && roleId === ''}
      action={action}
      onClose={onClose}
    >
      <Text size="sm">{texts.mendTexts[mend.kind]}</Text>
      {mend.kind === 'scope' && <Sent lines={mend.scopes} />}
      {mend.kind === 'redirectUri' && <Sent lines={[mend.uri]} />}
      {mend.kind === 'role' && (
        <NativeSelect
          label={texts.role}
          size="md"
          data-autofocus
          data={[{ value: '', label: texts.noRole }, ...choices.map(({ id, name }) => ({ value: id, label: name }))]}
          value={roleId}
          onChange={(event) => setRoleId(event.currentTarget.value)}
        />
      )}
    </FormDialog>
  )
}

const Sent = ({ lines }: { lines: string[] }) => (
  <Stack gap={4}>
    {lines.map((line) => (
      <Code key={line} block>
        {line}
      </Code>
    ))}
  </Stack>
)

function changesFor(mend: Mend, client: Client, roleId: string): ClientChanges {
  if (mend.kind === 'scope') return { scopes: [...new Set([...client.scopes, ...mend.scopes])] }
  if (mend.kind === 'redirectUri') return { redirectUris: [...new Set([...client.redirect_uris, mend.uri])] }
  if (mend.kind === 'pkce') return { pkce: 'optional' }
  if (mend.kind === 'rs256') return { id_token_signed_response_alg: 'RS256' }
  return { allowedRoles: client.allowedRoles && [...new Set([...client.allowedRoles, roleId])] }
}
