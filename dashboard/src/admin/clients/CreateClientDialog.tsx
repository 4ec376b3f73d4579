import { Radio, Stack } from '@mantine/core'
import { useState } from 'react'
import { answer, api } from '../../api/client.ts'
import { useTexts } from '../../texts/TextsProvider.tsx'
import { FormDialog } from '../../ui/FormDialog.tsx'
import { clientBody, ClientFields } from './ClientFields.tsx'
import type { Secret } from './SecretDialog.tsx'

const KINDS = ['confidential', 'public'] as const
const START = {
  name: '',
  operator: '',
  redirectUris: '',
  postLogoutRedirectUris: '',
  scopes: 'openid profile email offline_access',
}

type Props = { onClose: () => void; onCreated: (created: Secret) => Promise<void> }

export function CreateClientDialog({ onClose, onCreated }: Props) {
  const texts = useTexts('admin').clients
  const [clientType, setClientType] = useState<(typeof KINDS)[number]>('confidential')
  const [fields, setFields] = useState(START)

  const create = async () => {
    const made = await answer(api.POST('/oauth/clients', { body: { ...clientBody(fields), clientType } }))
    await onCreated({ name: made.client.name, clientId: made.client_id, clientSecret: made.client_secret })
  }

  return (
    <FormDialog title={texts.create} submit={texts.createSubmit} size="lg" action={create} onClose={onClose}>
      <Radio.Group
        label={texts.type}
        value={clientType}
        onChange={(value) => setClientType(value === 'public' ? 'public' : 'confidential')}
      >
        <Stack gap="xs" mt={6}>
          {KINDS.map((kind) => (
            <Radio key={kind} value={kind} label={texts.types[kind]} />
          ))}
        </Stack>
      </Radio.Group>
      <ClientFields value={fields} onChange={setFields} />
    </FormDialog>
  )
}
