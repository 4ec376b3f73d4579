import { TextInput } from '@mantine/core'
import { useState } from 'react'
import { answer, api } from '../api/client.ts'
import type { Passkey } from '../api/shapes.ts'
import { addPasskey } from '../lib/create-passkey.ts'
import { deviceName } from '../lib/user-agent.ts'
import { useTexts } from '../texts/TextsProvider.tsx'
import { Field } from '../ui/Form.tsx'
import { FormDialog } from '../ui/FormDialog.tsx'

type Props = { onClose: () => void; onDone: () => Promise<unknown> }

export function AddPasskeyDialog({ onClose, onDone }: Props) {
  const texts = useTexts('account').passkeys
  const [name, setName] = useState(() => deviceName(navigator.userAgent) ?? '')
  const add = async () => {
    await addPasskey(name.trim())
    await onDone()
  }
  return (
    <FormDialog title={texts.add} submit={texts.add} action={add} onClose={onClose}>
      <Field name="name">
        <TextInput
          label={texts.name}
          description={texts.nameHint}
          data-autofocus
          maxLength={100}
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
        />
      </Field>
    </FormDialog>
  )
}

export function RenamePasskeyDialog({ passkey, onClose, onDone }: Props & { passkey: Passkey }) {
  const texts = useTexts('account').passkeys
  const { save } = useTexts('shared')
  const [name, setName] = useState(passkey.name ?? '')
  const rename = async () => {
    const params = { path: { id: passkey.id } }
    await answer(api.PATCH('/api/passkeys/{id}', { params, body: { name: name.trim() } }))
    await onDone()
  }
  return (
    <FormDialog title={texts.renameTitle} submit={save} action={rename} onClose={onClose}>
      <Field name="name">
        <TextInput
          label={texts.name}
          data-autofocus
          required
          withAsterisk={false}
          maxLength={100}
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
        />
      </Field>
    </FormDialog>
  )
}
