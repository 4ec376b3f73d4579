import { Badge, Box, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { User } from '../../api/shapes.ts'
import { useFormat } from '../../lib/use-format.ts'
import { useTexts } from '../../texts/TextsProvider.tsx'
import { QueryView } from '../../ui/QueryView.tsx'
import { Row, Rows } from '../../ui/Rows.tsx'
import { Section } from '../../ui/Section.tsx'
import { lifecycleQuery } from '../users/user-queries.ts'
import { ReceiptText } from './DisabledReceipt.tsx'

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
