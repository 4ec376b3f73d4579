import { Anchor, Button, Stack, Text } from '@mantine/core'
import { EntranceHeading } from '../entrance/EntranceHeading.tsx'
import { safeReturnTo } from '../lib/return-to.ts'
import { useSubmit } from '../lib/use-submit.ts'
import { paths } from '../paths.ts'
import { useTexts } from '../texts/TextsProvider.tsx'
import { FailureAlert } from '../ui/FailureAlert.tsx'
import { NewAccountFields, register, useNewAccount } from './NewAccountFields.tsx'

export default function RegisterPage() {
  const texts = useTexts('entrance')
  const account = useNewAccount()
  const { busy, failure, onSubmit } = useSubmit(async () => {
    await register(account.value)
    location.replace(safeReturnTo(new URLSearchParams(location.search).get('return_to')))
  })

  return (
    <Stack gap="lg">
      <EntranceHeading title={texts.register.title} />
      <FailureAlert failure={failure} />
      <form onSubmit={onSubmit}>
        <Stack>
          <NewAccountFields {...account} />
          <Button type="submit" size="md" fullWidth loading={busy}>
            {texts.register.submit}
          </Button>
        </Stack>
      </form>
      <Text size="sm" c="dimmed" ta="center">
        {texts.register.haveAccount}{' '}
        <Anchor size="sm" href={paths.login + location.search} underline="always">
          {texts.register.login}
        </Anchor>
      </Text>
    </Stack>
  )
}
