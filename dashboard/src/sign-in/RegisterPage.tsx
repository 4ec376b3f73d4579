import { Anchor, Button, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { appearance } from '../lib/appearance.ts'
import { paths } from '../paths.ts'
import { PublicHeading } from '../public-pages/PublicFrame.tsx'
import { useTexts } from '../texts/TextsProvider.tsx'
import { FailureAlert } from '../ui/FailureAlert.tsx'
import { Form, useSubmitForm } from '../ui/Form.tsx'
import { NEW_ACCOUNT, NewAccountFields, PasskeyOffer, register } from './new-account.tsx'
import { returnTo } from './sign-in-target.ts'
import { SignInHeading } from './SignInHeading.tsx'

export default function RegisterPage() {
  const texts = useTexts('publicPages')
  const [registered, setRegistered] = useState<string>()
  const form = useSubmitForm({
    initialValues: NEW_ACCOUNT,
    async submit(account) {
      await register(account)
      setRegistered(account.email)
    },
  })
  const toLogin = (
    <Text size="sm" c="dimmed" ta="center">
      {texts.register.haveAccount}{' '}
      <Anchor size="sm" href={paths.login + location.search} underline="always">
        {texts.register.login}
      </Anchor>
    </Text>
  )

  if (registered !== undefined) {
    return (
      <Stack gap="lg">
        <PublicHeading title={texts.register.doneTitle}>{texts.register.done(registered)}</PublicHeading>
        <PasskeyOffer to={returnTo}>{texts.setup.passkeyText}</PasskeyOffer>
      </Stack>
    )
  }
  if (appearance().registration !== 'open') {
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
      <Form form={form}>
        <Stack>
          <NewAccountFields form={form} />
          <FailureAlert failure={form.unplaced} />
          <Button type="submit" size="md" fullWidth loading={form.busy}>
            {texts.register.submit}
          </Button>
        </Stack>
      </Form>
      {toLogin}
    </Stack>
  )
}
