import { Alert, Button, Text } from '@mantine/core'
import type { Host } from '../../api/shapes.ts'
import { useTexts } from '../../texts/TextsProvider.tsx'
import { Icon } from '../../ui/Icon.tsx'
import { RelativeTime } from '../../ui/RelativeTime.tsx'

/** Why a host needs attention, and what mends that. Nothing for a host that needs none. */
export function HostAttention({ host: { attention }, onNewToken }: { host: Host; onNewToken: () => void }) {
  const texts = useTexts('admin').hosts
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
      <Button size="xs" variant="default" mt="xs" onClick={onNewToken}>
        {texts.attention.newLine}…
      </Button>
    </Alert>
  )
}
