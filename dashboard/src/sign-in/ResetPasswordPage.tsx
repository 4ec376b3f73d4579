import { Anchor, Button, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { answer, api } from '../api/client.ts'
import { isRefusal } from '../api/failure.ts'
import { EntranceHeading } from '../entrance/EntranceHeading.tsx'
import { useSubmit } from '../lib/use-submit.ts'
import { paths } from '../paths.ts'
import { useTexts } from '../texts/TextsProvider.tsx'
import { FailureAlert } from '../ui/FailureAlert.tsx'
import { NewPasswordInput } from '../ui/NewPasswordInput.tsx'

const query = new URLSearchParams(location.search)
const token = query.get('token')
// To an account that an administrator has created, no stranger can have added anything.
const invited = query.has('invited')

export default function ResetPasswordPage() {
  const texts = useTexts('entrance')
  const [newPassword, setNewPassword] = useState('')
  const [done, setDone] = useState(false)
  const { busy, failure, onSubmit } = useSubmit(async () => {
    await answer(api.POST('/api/auth/password-reset/confirm', { body: { token: token ?? '', newPassword } }))
    setDone(true)
  })

  if (done) {
    return (
      <Stack gap="lg" role="status">
        <EntranceHeading title={texts.reset.doneTitle}>{texts.reset.done}</EntranceHeading>
        <Button component="a" href={paths.login} size="md">
          {texts.reset.toLogin}
        </Button>
      </Stack>
    )
  }
  const again = <Anchor href={paths.forgotPassword}>{texts.reset.again}</Anchor>
  if (!token) {
    return (
      <Stack gap="lg">
        <EntranceHeading title={texts.reset.title}>{texts.reset.noToken}</EntranceHeading>
        {again}
      </Stack>
    )
  }
  return (
    <Stack gap="lg">
      <EntranceHeading title={texts.reset.title}>{texts.reset.text}</EntranceHeading>
      <FailureAlert failure={failure} />
      {isRefusal(failure, 'invalid_token') && again}
      <form onSubmit={onSubmit}>
        <Stack>
          {!invited && (
            <Text size="sm" c="dimmed">
              {texts.reset.neverConfirmed}
            </Text>
          )}
          <NewPasswordInput label={texts.newPassword} value={newPassword} onChange={setNewPassword} />
          <Button type="submit" size="md" fullWidth loading={busy}>
            {texts.reset.submit}
          </Button>
        </Stack>
      </form>
    </Stack>
  )
}
