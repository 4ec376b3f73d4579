import { Button, Stack, Text } from '@mantine/core'
import { addPasskey } from '../lib/create-passkey.ts'
import { useSubmit } from '../lib/use-submit.ts'
import { useTexts } from '../texts/TextsProvider.tsx'
import { FailureAlert } from '../ui/FailureAlert.tsx'
import { Icon } from '../ui/Icon.tsx'

/** Goes on with a new passkey or without one. */
export default function PasskeyOffer({ to, children }: { to: string; children?: string }) {
  const texts = useTexts('publicPages').setup
  const { busy, failure, run } = useSubmit(async () => {
    await addPasskey()
    location.replace(to)
  })
  return (
    <Stack gap="md">
      {children && <Text size="sm">{children}</Text>}
      <FailureAlert failure={failure} />
      <Button size="md" autoFocus loading={busy} leftSection={<Icon name="fingerprint" />} onClick={() => run()}>
        {texts.passkeySubmit}
      </Button>
      <Button variant="subtle" component="a" href={to}>
        {texts.skip}
      </Button>
    </Stack>
  )
}
