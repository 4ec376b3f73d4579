import { Anchor, Button, Stack, TextInput } from '@mantine/core'
import { useState } from 'react'
import { answer, api } from '../api/client.ts'
import { useSubmit } from '../lib/use-submit.ts'
import { paths } from '../paths.ts'
import { PublicHeading } from '../public-pages/PublicFrame.tsx'
import { useTexts } from '../texts/TextsProvider.tsx'
import { FailureAlert } from '../ui/FailureAlert.tsx'

export default function ForgotPasswordPage() {
  const texts = useTexts('publicPages')
  const [email, setEmail] = useState('')
  const [sent, setSent] = useState(false)
  const { busy, failure, onSubmit } = useSubmit(async () => {
    await answer(api.POST('/api/auth/password-reset', { body: { email } }))
    setSent(true)
  })
  const back = (
    <Anchor size="sm" href={paths.login}>
      {texts.forgot.back}
    </Anchor>
  )

  if (sent) {
    return (
      <Stack gap="lg" role="status">
        <PublicHeading title={texts.forgot.sentTitle}>{texts.forgot.sent(email)}</PublicHeading>
        {back}
      </Stack>
    )
  }
  return (
    <Stack gap="lg">
      <PublicHeading title={texts.forgot.title}>{texts.forgot.text}</PublicHeading>
      <FailureAlert failure={failure} />
      <form onSubmit={onSubmit}>
        <Stack>
          <TextInput
            label={texts.email}
            type="email"
            autoComplete="username"
            autoFocus
            required
            withAsterisk={false}
            value={email}
            onChange={(event) => setEmail(event.currentTarget.value)}
          />
          <Button type="submit" size="md" fullWidth loading={busy}>
            {texts.forgot.submit}
          </Button>
        </Stack>
      </form>
      {back}
    </Stack>
  )
}
