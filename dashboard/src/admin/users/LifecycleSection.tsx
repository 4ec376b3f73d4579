import { Badge, Box, Button, Text } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { answer, api } from '../../api/client.ts'
import type { User } from '../../api/shapes.ts'
import { useFormat } from '../../lib/use-format.ts'
import { useTexts } from '../../texts/TextsProvider.tsx'
import { FailureAlert } from '../../ui/FailureAlert.tsx'
import { QueryView } from '../../ui/QueryView.tsx'
import { Row, Rows } from '../../ui/Rows.tsx'
import { Section } from '../../ui/Section.tsx'
import { LifecycleDialog } from './LifecycleDialog.tsx'
import { lifecycleQuery } from './user-queries.ts'

export function LifecycleSection({ user }: { user: User }) {
  const texts = useTexts('admin').lifecycle
  const format = useFormat()
  const client = useQueryClient()
  const query = useQuery(lifecycleQuery(user.id))
  const [isDialogOpen, setIsDialogOpen] = useState(false)
  const reload = () => client.invalidateQueries({ queryKey: ['admin', 'users'] })
  const cancel = useMutation({
    mutationFn: (actionId: string) => {
      const params = { path: { userId: user.id, actionId } }
      return answer(api.DELETE('/api/admin/users/{userId}/lifecycle/{actionId}', { params }))
    },
    onSettled: reload,
  })
  const action = user.disabled_at === null ? 'disable' : 'enable'

  return (
    <Section
      title={texts.title}
      description={
        user.disabled_at === null ? texts.activeText : `${texts.disabledText} ${format.dateTime(user.disabled_at)}.`
      }
      flush
      actions={
        <Button size="sm" variant="default" onClick={() => setIsDialogOpen(true)}>
          {texts[action]}…
        </Button>
      }
    >
      <FailureAlert failure={cancel.error} />
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
            {actions.map((planned) => (
              <Row
                key={planned.id}
                icon="clock"
                title={texts.action[planned.action]}
                badge={
                  <Badge size="sm" variant="light" color={planned.status === 'pending' ? 'brass' : 'gray'}>
                    {texts.statuses[planned.status]}
                  </Badge>
                }
                meta={format.dateTime(planned.executeAt)}
                actions={
                  planned.status === 'pending' && (
                    <Button size="xs" variant="default" onClick={() => cancel.mutate(planned.id)}>
                      {texts.cancelAction}
                    </Button>
                  )
                }
              />
            ))}
          </Rows>
        )}
      </QueryView>
      {isDialogOpen && (
        <LifecycleDialog user={user} action={action} onClose={() => setIsDialogOpen(false)} onDone={reload} />
      )}
    </Section>
  )
}
