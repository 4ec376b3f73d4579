import { Group, Stack, Text } from '@mantine/core'
import { queryOptions, useQuery } from '@tanstack/react-query'
import { answer, api } from '../../api/client.ts'
import type { LifecycleAction, User } from '../../api/shapes.ts'
import { useDuration } from '../../lib/use-duration.ts'
import { queryClient } from '../../session/query-client.ts'
import { useTexts } from '../../texts/TextsProvider.tsx'
import { FailureAlert } from '../../ui/FailureAlert.tsx'
import { PersonLink } from '../../ui/links.tsx'
import { RowsSkeleton } from '../../ui/Rows.tsx'
import { type Leaving, readLeaving } from '../receivers/open-receipt.ts'
import { ProofButton, useOutcome } from '../receivers/ReceiptView.tsx'
import classes from '../receivers/ReceiptView.module.css'

type Receipts = Map<string, LifecycleAction>

const isOver = (action: LifecycleAction | undefined) => (action?.receipt?.completedAt ?? null) !== null

/** The newest disable of each of these people. Who has nothing left is not asked for again. */
const receiptsQuery = (userIds: string[]) =>
  queryOptions({
    queryKey: ['admin', 'receipts', userIds],
    async queryFn({ queryKey }) {
      const receipts: Receipts = new Map(queryClient.getQueryData<Receipts>(queryKey))
      const open = userIds.filter((userId) => !isOver(receipts.get(userId)))
      const next = async (): Promise<void> => {
        const userId = open.pop()
        if (userId === undefined) return
        const params = { path: { userId }, query: { limit: 5 } }
        const { actions } = await answer(api.GET('/api/admin/users/{userId}/lifecycle', { params }))
        const disabled = actions.find(({ action, status }) => action === 'disable' && status === 'completed')
        if (disabled) receipts.set(userId, disabled)
        await next()
      }
      await Promise.all(Array.from({ length: MAX_REQUESTS }, next))
      return receipts
    },
    // It stops while the page is hidden.
    refetchInterval: ({ state: { data } }) => (userIds.every((userId) => isOver(data?.get(userId))) ? false : 1000),
    structuralSharing: false,
  })

/** At a time: two hundred people may have been disabled together. */
const MAX_REQUESTS = 4

/** What became of each disable of a batch, until nothing is left of any of them. */
export function BatchReceipts({ users }: { users: User[] }) {
  const texts = useTexts('people').leaving
  const duration = useDuration()
  const query = useQuery(receiptsQuery(users.map(({ id }) => id)))
  if (!query.data) return query.error ? <FailureAlert failure={query.error} /> : <RowsSkeleton count={2} />
  const rows = users.map((user) => {
    const action = query.data.get(user.id)
    return { user, action, leaving: action && readLeaving(action, Date.now()) }
  })
  const open = rows.filter(({ leaving }) => leaving?.isOver !== true).length
  const lost = rows.filter(({ leaving }) => (leaving?.lost ?? 0) > 0).length
  const longest = Math.max(...rows.map(({ leaving }) => leaving?.tookMs ?? 0))
  const over = lost > 0 ? texts.batchLost(lost) : texts.batchOver(users.length, duration(longest))
  return (
    <Stack gap="xs">
      <Text size="sm" fw={550} role="status">
        {open > 0 ? texts.batchBegins : over}
      </Text>
      {open > 0 && <Text size="sm">{texts.batchTelling(open, users.length)}</Text>}
      <div className={classes.list} tabIndex={0} role="group" aria-label={texts.people}>
        <ul className={classes.rows}>
          {rows.map(({ user, action, leaving }) => (
            <li key={user.id} className={classes.row}>
              <Stack gap={0} flex={1} miw={160}>
                <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
                  <PersonLink id={user.id}>{user.email}</PersonLink>
                </Text>
                {leaving && <OutcomeText leaving={leaving} />}
              </Stack>
              {action && leaving?.isOver && (
                <Group>
                  <ProofButton action={action} name={user.email} />
                </Group>
              )}
            </li>
          ))}
        </ul>
      </div>
    </Stack>
  )
}

const OutcomeText = ({ leaving }: { leaving: Leaving }) => (
  <Text size="xs" c="dimmed">
    {useOutcome(leaving)}
  </Text>
)
