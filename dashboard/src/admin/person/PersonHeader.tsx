import { Badge, Box, Button, Group, Stack, Text } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { answer, api } from '../../api/client.ts'
import type { UserDetails } from '../../api/shapes.ts'
import { useSubmit } from '../../lib/use-submit.ts'
import { useMay, useMe } from '../../session/me.ts'
import { useTexts } from '../../texts/TextsProvider.tsx'
import { FailureAlert } from '../../ui/FailureAlert.tsx'
import { PageHeader } from '../../ui/PageHeader.tsx'
import { PersonAvatar } from '../../ui/PersonAvatar.tsx'
import { RelativeTime } from '../../ui/RelativeTime.tsx'
import { SavedNote } from '../../ui/SaveButton.tsx'
import { lifecycleQuery, userQuery } from '../users/user-queries.ts'
import { LifecycleDialog } from './LifecycleDialog.tsx'
import { DisabledReceipt, ScheduledAction } from './LifecycleSection.tsx'

/** Who it is, in which state, since when, and the switch. */
export function PersonHeader({ details: { user, hasPassword, passkeys } }: { details: UserDetails }) {
  const texts = useTexts('people')
  const switchTexts = useTexts('admin').lifecycle
  const client = useQueryClient()
  const may = useMay()
  const isSelf = useMe().user.id === user.id
  const maySwitch = may('users:lifecycle')
  const actions = useQuery({ ...lifecycleQuery(user.id), enabled: maySwitch })
  // Once the account is switched, `action` is the opposite, and the dialog still shows what became of it.
  const [asked, setAsked] = useState<'enable' | 'disable'>()
  // A planned action that is carried out while the page is open has changed the account.
  const finished = actions.data?.actions.filter(({ finishedAt }) => finishedAt !== null).length
  const finishedBefore = useRef(finished)
  useEffect(() => {
    if (finishedBefore.current !== undefined && finished !== finishedBefore.current)
      void client.invalidateQueries({ queryKey: userQuery(user.id).queryKey, exact: true })
    finishedBefore.current = finished
  }, [client, finished, user.id])
  const name = user.displayName ?? user.email
  const action = user.disabled_at === null ? 'disable' : 'enable'
  const reload = () => client.invalidateQueries({ queryKey: ['admin'] })
  const isInvited = user.lastLoginAt === null
  const mayBeInvited = isInvited && !hasPassword && passkeys === 0 && user.disabled_at === null

  return (
    <Box mt="sm">
      <Group align="flex-start" gap="md" wrap="nowrap">
        <PersonAvatar name={name} avatarUrl={user.avatarUrl} size={64} visibleFrom="xs" />
        <Box flex={1} miw={0}>
          <PageHeader
            title={name}
            description={
              <Group component="span" gap="xs">
                <Text component="span" style={{ overflowWrap: 'anywhere' }}>
                  {user.email}
                </Text>
                <StateBadge user={user} isInvited={isInvited} />
                {isSelf && (
                  <Badge component="span" variant="default">
                    {texts.you}
                  </Badge>
                )}
                {user.roles
                  .filter((role) => role.name !== 'user')
                  .map((role) => (
                    <Badge component="span" key={role.id} variant="light">
                      {role.name}
                    </Badge>
                  ))}
                <Text component="span" size="sm">
                  {user.lastLoginAt === null ? (
                    texts.neverHere
                  ) : (
                    <>
                      {texts.lastLogin} <RelativeTime at={user.lastLoginAt} />
                    </>
                  )}
                </Text>
              </Group>
            }
            actions={
              <>
                {may('users:write') && mayBeInvited && <InvitationButton userId={user.id} />}
                {maySwitch && !isSelf && (
                  <Button variant={action === 'disable' ? 'default' : 'filled'} onClick={() => setAsked(action)}>
                    {switchTexts[action]}…
                  </Button>
                )}
              </>
            }
          />
        </Box>
      </Group>
      {actions.data?.actions
        .filter(({ status }) => status === 'pending')
        .map((planned) => (
          <ScheduledAction key={planned.id} planned={planned} />
        ))}
      {user.disabled_at !== null && <DisabledReceipt user={user} actions={actions.data?.actions ?? []} />}
      {asked && <LifecycleDialog user={user} action={asked} onClose={() => setAsked(undefined)} onDone={reload} />}
    </Box>
  )
}

function StateBadge({ user, isInvited }: { user: UserDetails['user']; isInvited: boolean }) {
  const texts = useTexts('people').states
  const state = user.disabled_at !== null ? 'disabled' : isInvited ? 'invited' : 'active'
  const color = { disabled: 'red', invited: 'brass', active: 'pine' }[state]
  return (
    <Badge component="span" color={color} variant="light">
      {texts[state]}
    </Badge>
  )
}

/** For people who were invited and have not chosen a password yet. The server refuses it for all others. */
function InvitationButton({ userId }: { userId: string }) {
  const texts = useTexts('admin').users
  const send = useSubmit(() =>
    answer(api.POST('/api/admin/users/{userId}/invitation', { params: { path: { userId } } })),
  )
  return (
    <Stack gap="xs">
      <Group>
        <Button variant="default" size="sm" loading={send.busy} onClick={() => send.run()}>
          {texts.inviteAgain}
        </Button>
        <SavedNote shown={send.isDone}>{texts.invited}</SavedNote>
      </Group>
      <FailureAlert failure={send.failure} />
    </Stack>
  )
}
