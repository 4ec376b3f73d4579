import { Alert, Text } from '@mantine/core'
import type { LifecycleAction, User } from '../../api/shapes.ts'
import { useFormat } from '../../lib/use-format.ts'
import { useTexts } from '../../texts/TextsProvider.tsx'
import { Icon } from '../../ui/Icon.tsx'
import { PersonLink } from '../../ui/PersonLink.tsx'

/** What the disable ended, who did it, and why. */
export function DisabledReceipt({ user, actions }: { user: User; actions: LifecycleAction[] }) {
  const texts = useTexts('people').receipt
  const format = useFormat()
  const done = actions.find(({ action, status }) => action === 'disable' && status === 'completed')
  return (
    <Alert
      role="note"
      color="red"
      variant="light"
      mb="md"
      icon={<Icon name="lock" />}
      title={texts.title(format.dateTime(user.disabled_at ?? 0))}
    >
      {done && <ReceiptText action={done} />}
    </Alert>
  )
}

/** One line each: what ended, who, why. */
export function ReceiptText({ action: { receipt, requestedBy, reason } }: { action: LifecycleAction }) {
  const texts = useTexts('people').receipt
  const ended = receipt
    ? (['sessions', 'tokens', 'certificates'] as const)
        .filter((what) => receipt[what] > 0)
        .map((what) => texts[what](receipt[what]))
    : []
  return (
    <>
      {receipt && <Text size="sm">{ended.length > 0 ? texts.ended(ended.join(', ')) : texts.nothing}</Text>}
      <Text size="sm">
        {requestedBy ? (
          <PersonLink id={requestedBy.id} prefix={texts.by('')}>
            {requestedBy.email ?? requestedBy.id}
          </PersonLink>
        ) : (
          texts.byService
        )}
      </Text>
      {reason && (
        <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
          {texts.reason(reason)}
        </Text>
      )}
    </>
  )
}
