import { Button, Group, PasswordInput, Stack } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { answer, api } from '../api/client.ts'
import { useUnsavedChanges } from '../lib/unsaved-changes.ts'
import { useMe } from '../session/me.ts'
import { useTexts } from '../texts/TextsProvider.tsx'
import { FailureAlert } from '../ui/FailureAlert.tsx'
import { Field, Form } from '../ui/Form.tsx'
import { NewPasswordInput } from '../ui/NewPasswordInput.tsx'
import { PageHeader } from '../ui/PageHeader.tsx'
import { SavedNote } from '../ui/SaveButton.tsx'
import { Section } from '../ui/Section.tsx'

export function PasswordPage() {
  const texts = useTexts('account').password
  const { showPassword } = useTexts('shared')
  const { user } = useMe()
  const [currentPassword, setCurrentPassword] = useState('')
  const [newPassword, setNewPassword] = useState('')
  const change = useMutation({
    mutationFn: () => answer(api.POST('/api/account/password', { body: { currentPassword, newPassword } })),
    onSuccess: () => {
      setCurrentPassword('')
      setNewPassword('')
    },
  })
  useUnsavedChanges((currentPassword !== '' || newPassword !== '') && !change.isPending)

  return (
    <>
      <PageHeader title={texts.title} description={texts.description} />
      <Section>
        <Form failure={change.error} onSubmit={() => change.mutate()}>
          <Stack maw={460}>
            {/* Password managers need to know whose password changes. */}
            <input type="hidden" name="username" autoComplete="username" value={user.email} readOnly />
            <Field name="currentPassword">
              <PasswordInput
                label={texts.current}
                autoComplete="current-password"
                required
                withAsterisk={false}
                value={currentPassword}
                onChange={(event) => setCurrentPassword(event.currentTarget.value)}
                visibilityToggleButtonProps={{ 'aria-label': showPassword }}
              />
            </Field>
            <Field name="newPassword">
              <NewPasswordInput label={texts.next} person={user} value={newPassword} onChange={setNewPassword} />
            </Field>
            <FailureAlert failure={change.error} />
            <Group>
              <Button type="submit" loading={change.isPending}>
                {texts.submit}
              </Button>
            </Group>
            <SavedNote shown={change.isSuccess}>{texts.done}</SavedNote>
          </Stack>
        </Form>
      </Section>
    </>
  )
}
