import { Alert, Badge, Box, Button, Group, Text } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { answer, api } from '../../api/client.ts'
import type { LifecycleAction, User } from '../../api/shapes.ts'
import { useFormat } from '../../lib/use-format.ts'
import { useTexts } from '../../texts/TextsProvider.tsx'
import { ConfirmDialog } from '../../ui/FormDialog.tsx'
import { Icon } from '../../ui/Icon.tsx'
import { PersonLink } from '../../ui/links.tsx'
import { QueryView } from '../../ui/QueryView.tsx'
import { Row, Rows } from '../../ui/Rows.tsx'
import { Section } from '../../ui/Section.tsx'
import { type Leaving, readLeaving } from '../receivers/open-receipt.ts'
import { ReceiptView, useOutcome } from '../receivers/ReceiptView.tsx'
import { lifecycleQuery } from '../users/user-queries.ts'

/** What was done with the account, newest first. What is still planned is at the top of the page, where it can be cancelled. */
export function LifecycleSection({ user }: { user: User }) {
  const texts = useTexts('admin').lifecycle
  const { history } = useTexts('people')
  const format = useFormat()
  const query = useQuery(lifecycleQuery(user.id))
  return (
    <Section
      title={history}
      description={
        user.disabled_at === null ? texts.activeText : `${texts.disabledText} ${format.dateTime(user.disabled_at)}.`
      }
      flush
    >
      <QueryView
        query={query}
        isEmpty={({ actions }) => actions.length === 0}
        empty={
          <Box px="lg" pb="lg">
            <Text size="sm" c="dimmed">
              {texts.noActions}
            </Text>
          </Box>
        }
      >
        {({ actions }) => (
          <Rows label={texts.actions}>
            {actions.map((action) => (
              <Row
                key={action.id}
                icon="clock"
                title={texts.action[action.action]}
                badge={
                  <Badge size="sm" variant="light" color={action.status === 'pending' ? 'brass' : 'gray'}>
                    {texts.statuses[action.status]}
                  </Badge>
                }
                meta={
                  <>
                    {format.dateTime(action.executeAt)}
                    {action.failureReason && ` · ${action.failureReason}`}
                    <ReceiptText action={action} />
                    <ReceiptView action={action} />
                  </>
                }
              />
            ))}
          </Rows>
        )}
      </QueryView>
    </Section>
  )
}

/** What the disable ended, who did it, and why. */
export function DisabledReceipt({ user, actions }: { user: User; actions: LifecycleAction[] }) {
  const texts = useTexts('people').receipt
  const format = useFormat()
  const done = actions.find(({ action, status }) => action === 'disable' && status === 'completed')
  const leaving = done && readLeaving(done, Date.now())
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
      {leaving && <LeavingText leaving={leaving} />}
    </Alert>
  )
}

function LeavingText({ leaving }: { leaving: Leaving }) {
  return <Text size="sm">{useOutcome(leaving)}</Text>
}

/** One line each: what ended, who, why. */
function ReceiptText({ action: { receipt, requestedBy, reason } }: { action: LifecycleAction }) {
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

type ScheduledActionProps = { planned: Pick<LifecycleAction, 'id' | 'userId'>; onClose: () => void }

export function CancelActionDialog({ planned, onClose }: ScheduledActionProps) {
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
