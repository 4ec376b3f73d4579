import { Alert, Text } from '@mantine/core'
import type { Host } from '../../api/shapes.ts'
import { useTexts } from '../../texts/TextsProvider.tsx'
import { Icon } from '../../ui/Icon.tsx'
import { RelativeTime } from '../../ui/RelativeTime.tsx'
import { NewTokenButton } from './NewTokenButton.tsx'

/** Why a host needs attention, and what mends that. Nothing for a host that needs none. */
export function HostAttention({ host }: { host: Host }) {
  const texts = useTexts('admin').hosts
  const { attention } = host
  if (!attention) return null
  const { reason, since } = attention
  return (
    <Alert
      role="note"
      color={reason === 'token_reused' ? 'red' : 'brass'}
      variant="light"
      mt="xs"
      icon={<Icon name="alert" />}
      title={texts.attention.titles[reason]}
    >
      <Text size="sm">{texts.attention.texts[reason]}</Text>
      <Text size="sm" mt={4}>
        {texts.attention.since} <RelativeTime at={since} />
      </Text>
      <NewTokenButton host={host} mt="xs">
        {texts.attention.newLine}…
      </NewTokenButton>
    </Alert>
  )
}
