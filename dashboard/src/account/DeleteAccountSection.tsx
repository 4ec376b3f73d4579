import { Button, Group, Text, TextInput } from '@mantine/core'
import { useState } from 'react'
import { answer, api } from '../api/client.ts'
import type { Profile } from '../api/shapes.ts'
import { paths } from '../paths.ts'
import { forgetAccount } from '../session/remembered-accounts.ts'
import { tellTabs } from '../session/tell-tabs.ts'
import { useTexts } from '../texts/TextsProvider.tsx'
import { Field } from '../ui/Form.tsx'
import { FormDialog } from '../ui/FormDialog.tsx'
import { Section } from '../ui/Section.tsx'
import { OwnerProofField } from './OwnerProofField.tsx'
import { withOwnerProof } from './with-owner-proof.ts'

export function DeleteAccountSection({ profile }: { profile: Profile }) {
  const texts = useTexts('account').profile
  const [isOpen, setOpen] = useState(false)
  return (
    <Section title={texts.deleteTitle} description={texts.deleteText}>
      <Group>
        <Button variant="default" c="var(--mantine-color-error)" onClick={() => setOpen(true)}>
          {texts.delete}
        </Button>
      </Group>
      {isOpen && <DeleteAccountDialog profile={profile} onClose={() => setOpen(false)} />}
    </Section>
  )
}

function DeleteAccountDialog({ profile, onClose }: { profile: Profile; onClose: () => void }) {
  const texts = useTexts('account').profile
  const [email, setEmail] = useState('')
  const [currentPassword, setCurrentPassword] = useState('')
  const remove = async () => {
    const body = { email, ...(currentPassword ? { currentPassword } : {}) }
    await withOwnerProof(() => answer(api.DELETE('/api/account', { body })))
    forgetAccount(profile.id)
    tellTabs({ kind: 'signed-out' })
    location.replace(paths.login)
  }
  return (
    <FormDialog
      danger
      title={texts.deleteTitle}
      submit={texts.delete}
      disabled={email.trim().toLowerCase() !== profile.email.toLowerCase()}
      action={remove}
      onClose={onClose}
    >
      <Text size="sm">{texts.deleteText}</Text>
      <Field name="email">
        <TextInput
          label={texts.deleteTyped(profile.email)}
          autoComplete="off"
          data-autofocus
          value={email}
          onChange={(event) => setEmail(event.currentTarget.value)}
        />
      </Field>
      <OwnerProofField value={currentPassword} onChange={setCurrentPassword} />
    </FormDialog>
  )
}
