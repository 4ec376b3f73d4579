import { Alert, Button, Group, Text } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { answer, api } from '../../api/client.ts'
import type { LifecycleAction } from '../../api/shapes.ts'
import { useFormat } from '../../lib/use-format.ts'
import { useTexts } from '../../texts/TextsProvider.tsx'
import { ConfirmDialog } from '../../ui/ConfirmDialog.tsx'
import { Icon } from '../../ui/Icon.tsx'

/** A planned action, where nobody overlooks it, with the way to call it off. */
export function ScheduledAction({ planned }: { planned: LifecycleAction }) {
  const texts = useTexts('people')
  const format = useFormat()
  const [isCancelling, setIsCancelling] = useState(false)
  return (
    <Alert role="note" color="brass" variant="light" mb="md" icon={<Icon name="clock" />}>
      <Group justify="space-between" gap="sm">
        <div>
          <Text size="sm" fw={600}>
            {texts.scheduled[planned.action](format.dateTime(planned.executeAt))}
          </Text>
          <Text size="sm">
            {planned.requestedBy?.email && texts.scheduled.by(planned.requestedBy.email)}{' '}
            {planned.reason && texts.receipt.reason(planned.reason)}
          </Text>
        </div>
        <Button size="xs" variant="default" onClick={() => setIsCancelling(true)}>
          {texts.scheduled.cancel}
        </Button>
      </Group>
      {isCancelling && <CancelActionDialog planned={planned} onClose={() => setIsCancelling(false)} />}
    </Alert>
  )
}

type Props = { planned: Pick<LifecycleAction, 'id' | 'userId'>; onClose: () => void }

export function CancelActionDialog({ planned, onClose }: Props) {
  const texts = useTexts('people').scheduled
  const client = useQueryClient()
  return (
    <ConfirmDialog
      title={texts.cancelTitle}
      confirm={texts.cancel}
      safe
      onClose={onClose}
      action={async () => {
        const params = { path: { userId: planned.userId, actionId: planned.id } }
        await answer(api.DELETE('/api/admin/users/{userId}/lifecycle/{actionId}', { params }))
        await client.invalidateQueries({ queryKey: ['admin'] })
      }}
    >
      {texts.cancelText}
    </ConfirmDialog>
  )
}
