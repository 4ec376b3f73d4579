import { Group, Textarea, TextInput } from '@mantine/core'
import { useState } from 'react'
import { isPrivateKey } from '../../../src/platform/openssh/private-key.ts'
import { answer, api } from '../api/client.ts'
import { useTexts } from '../texts/TextsProvider.tsx'
import { ChooseFileButton } from '../ui/ChooseFileButton.tsx'
import { Field } from '../ui/Form.tsx'
import { FormDialog } from '../ui/FormDialog.tsx'

/** The comment of a public key usually names the device, so it makes a good first name. */
const commentOf = (publicKey: string) =>
  isPrivateKey(publicKey) ? '' : publicKey.trim().split(/\s+/).slice(2).join(' ').slice(0, 100)

export function AddKeyDialog({ onClose, onDone }: { onClose: () => void; onDone: () => Promise<unknown> }) {
  const texts = useTexts('ssh').keys
  const [name, setName] = useState('')
  const [publicKey, setPublicKey] = useState('')

  function take(text: string) {
    // A name that was typed stays; one that came from the key before goes with it.
    if (name === '' || name === commentOf(publicKey)) setName(commentOf(text))
    setPublicKey(text)
  }
  const add = async () => {
    // It must not leave the device, not even to be refused.
    if (isPrivateKey(publicKey)) throw new Error(texts.isPrivate)
    await answer(api.POST('/api/ssh/keys', { body: { name: name.trim(), publicKey: publicKey.trim() } }))
    await onDone()
  }

  return (
    <FormDialog title={texts.add} submit={texts.add} size="lg" action={add} onClose={onClose}>
      <Field name="publicKey">
        <Textarea
          label={texts.publicKey}
          description={texts.publicKeyHint}
          data-autofocus
          required
          withAsterisk={false}
          autosize
          minRows={3}
          styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)', fontSize: '0.8125rem' } }}
          value={publicKey}
          onChange={(event) => take(event.currentTarget.value)}
        />
      </Field>
      <Group>
        <ChooseFileButton size="xs" accept=".pub,text/plain" onChosen={(file) => void file.text().then(take)}>
          {texts.chooseFile}
        </ChooseFileButton>
      </Group>
      <Field name="name">
        <TextInput
          label={texts.name}
          description={texts.nameHint}
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
