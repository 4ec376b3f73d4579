import { Anchor, Button, Stack, TextInput } from '@mantine/core'
import { useState } from 'react'
import { answer, api } from '../api/client.ts'
import { paths } from '../paths.ts'
import { PublicHeading } from '../public-pages/PublicFrame.tsx'
import { useTexts } from '../texts/TextsProvider.tsx'
import { FailureAlert } from '../ui/FailureAlert.tsx'
import { Form, useSubmitForm } from '../ui/Form.tsx'

export default function ForgotPasswordPage() {
  const texts = useTexts('publicPages')
  const [sentTo, setSentTo] = useState<string>()
  const form = useSubmitForm({
    initialValues: { email: '' },
    async submit({ email }) {
      await answer(api.POST('/api/auth/password-reset', { body: { email } }))
      setSentTo(email)
    },
  })
  const back = (
    <Anchor size="sm" href={paths.login}>
      {texts.forgot.back}
    </Anchor>
  )

  if (sentTo !== undefined) {
    return (
      <Stack gap="lg" role="status">
        <PublicHeading title={texts.forgot.sentTitle}>{texts.forgot.sent(sentTo)}</PublicHeading>
        {back}
      </Stack>
    )
  }
  return (
    <Stack gap="lg">
      <PublicHeading title={texts.forgot.title}>{texts.forgot.text}</PublicHeading>
      <FailureAlert failure={form.unplaced} />
      <Form form={form}>
        <Stack>
          <TextInput
            label={texts.email}
            type="email"
            autoComplete="username"
            autoFocus
            required
            withAsterisk={false}
            {...form.getInputProps('email')}
          />
          <Button type="submit" size="md" fullWidth loading={form.busy}>
            {texts.forgot.submit}
          </Button>
        </Stack>
      </Form>
      {back}
    </Stack>
  )
}
