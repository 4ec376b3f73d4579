import { Anchor, Button, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { look } from '../lib/look.ts'
import { useSubmit } from '../lib/use-submit.ts'
import { paths } from '../paths.ts'
import { PublicHeading } from '../public-pages/PublicFrame.tsx'
import { useTexts } from '../texts/TextsProvider.tsx'
import { FailureAlert } from '../ui/FailureAlert.tsx'
import { FieldsAround } from '../ui/Form.tsx'
import { NewAccountFields, PasskeyOffer, register, useNewAccount } from './new-account.tsx'
import { returnTo } from './sign-in-target.ts'
import { SignInHeading } from './SignInHeading.tsx'

export default function RegisterPage() {
  const texts = useTexts('publicPages')
  const account = useNewAccount()
  const [isDone, setDone] = useState(false)
  const { busy, failure, onSubmit } = useSubmit(async () => {
    await register(account.value)
    setDone(true)
  })
  const toLogin = (
    <Text size="sm" c="dimmed" ta="center">
      {texts.register.haveAccount}{' '}
      <Anchor size="sm" href={paths.login + location.search} underline="always">
        {texts.register.login}
      </Anchor>
    </Text>
  )

  if (isDone) {
    return (
      <Stack gap="lg">
        <PublicHeading title={texts.register.doneTitle}>{texts.register.done(account.value.email)}</PublicHeading>
        <PasskeyOffer to={returnTo}>{texts.setup.passkeyText}</PasskeyOffer>
      </Stack>
    )
  }
  if (look().registration !== 'open') {
    return (
      <Stack gap="lg">
        <PublicHeading title={texts.register.closedTitle}>{texts.register.closed}</PublicHeading>
        {toLogin}
      </Stack>
    )
  }
  return (
    <Stack gap="lg">
      <SignInHeading title={texts.register.title} />
      <FieldsAround failure={failure}>
        <form onSubmit={onSubmit}>
          <Stack>
            <NewAccountFields {...account} />
            <FailureAlert failure={failure} />
            <Button type="submit" size="md" fullWidth loading={busy}>
              {texts.register.submit}
            </Button>
          </Stack>
        </form>
      </FieldsAround>
      {toLogin}
    </Stack>
  )
}
