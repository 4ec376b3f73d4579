import { Checkbox, Text } from '@mantine/core'
import { useState } from 'react'
import { answer, api } from '../../api/client.ts'
import type { Host } from '../../api/shapes.ts'
import { useTexts } from '../../texts/TextsProvider.tsx'
import { FormDialog } from '../../ui/FormDialog.tsx'
import type { Enrollment } from './CommandDialog.tsx'

type Props = { host: Host; onClose: () => void; onDone: (enrollment: Enrollment) => Promise<unknown> }

export function NewTokenDialog({ host, onClose, onDone }: Props) {
  const texts = useTexts('admin').hosts
  const [revoke, setRevoke] = useState(false)
  const submit = async () => {
    const params = { path: { id: host.id } }
    const made = await answer(api.POST('/api/ssh/hosts/{id}/enrollment', { params, body: { revoke } }))
    await onDone({ name: made.host.name, command: made.command })
  }
  return (
    <FormDialog title={texts.newTokenTitle(host.name)} submit={texts.newToken} action={submit} onClose={onClose}>
      <Text>{texts.newTokenText}</Text>
      <Checkbox
        label={texts.revokeNow}
        description={texts.revokeNowHint}
        checked={revoke}
        onChange={(event) => setRevoke(event.currentTarget.checked)}
      />
    </FormDialog>
  )
}
