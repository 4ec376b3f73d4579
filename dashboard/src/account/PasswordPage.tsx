import { Button, Group, Stack, Text } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { answer, api } from '../api/client.ts'
import { useMe } from '../session/me.ts'
import { useTexts } from '../texts/TextsProvider.tsx'
import { CurrentPasswordInput } from '../ui/CurrentPasswordInput.tsx'
import { FailureAlert } from '../ui/FailureAlert.tsx'
import { Form, useSubmitForm } from '../ui/Form.tsx'
import { NewPasswordInput } from '../ui/NewPasswordInput.tsx'
import { PageHeader } from '../ui/PageHeader.tsx'
import { SavedNote } from '../ui/SaveButton.tsx'
import { Section } from '../ui/Section.tsx'
import { methodsQuery } from './owner-proof.tsx'
import { SecondStepSection } from './SecondStepSection.tsx'

const EMPTY = { currentPassword: '', newPassword: '' }

export function PasswordPage() {
  const texts = useTexts('account').password
  const { user } = useMe()
  const client = useQueryClient()
  const isFirst = useQuery(methodsQuery).data?.hasPassword === false
  const [isDone, setDone] = useState(false)
  const form = useSubmitForm({
    initialValues: EMPTY,
    async submit({ currentPassword, newPassword }) {
      setDone(false)
      const body = { newPassword, ...(isFirst ? {} : { currentPassword }) }
      await answer(api.POST('/api/account/password', { body }))
      await client.invalidateQueries({ queryKey: methodsQuery.queryKey })
      setDone(true)
    },
    onSuccess() {
      form.setValues(EMPTY)
      form.resetDirty(EMPTY)
    },
  })

  return (
    <>
      <PageHeader title={texts.title} description={texts.description} />
      <Section>
        <Form form={form}>
          <Stack maw={460}>
            {/* Password managers need to know whose password changes. */}
            <input type="hidden" name="username" autoComplete="username" value={user.email} readOnly />
            {isFirst ? (
              <Text size="sm">{texts.first}</Text>
            ) : (
              <CurrentPasswordInput label={texts.current} {...form.getInputProps('currentPassword')} />
            )}
            <NewPasswordInput label={texts.next} person={user} {...form.getInputProps('newPassword')} />
            <FailureAlert failure={form.unplaced} />
            <Group>
              <Button type="submit" loading={form.busy}>
                {isFirst ? texts.submitFirst : texts.submit}
              </Button>
            </Group>
            <SavedNote shown={isDone}>{texts.done}</SavedNote>
          </Stack>
        </Form>
      </Section>
      <SecondStepSection />
    </>
  )
}
