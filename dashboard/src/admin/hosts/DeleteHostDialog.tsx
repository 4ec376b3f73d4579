import { List, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { answer, api } from '../../api/client.ts'
import type { Host, SshSession } from '../../api/shapes.ts'
import { useTexts } from '../../texts/TextsProvider.tsx'
import { FailureAlert } from '../../ui/FailureAlert.tsx'
import { ConfirmDialog } from '../../ui/FormDialog.tsx'
import { hostQuery } from './hosts-query.ts'

type Props = { host: Host; onClose: () => void; onDone: () => Promise<unknown> }

export function DeleteHostDialog({ host, onClose, onDone }: Props) {
  const texts = useTexts('admin').hosts
  const query = useQuery(hostQuery(host.id))
  const { sshSessions, usernames = {} } = query.data ?? {}
  return (
    <ConfirmDialog
      title={texts.deleteTitle(host.name)}
      confirm={texts.delete}
      // The sessions are named first.
      isReady={query.data !== undefined || query.error !== null}
      onClose={onClose}
      action={async () => {
        await answer(api.DELETE('/api/ssh/hosts/{id}', { params: { path: { id: host.id } } }))
        await onDone()
      }}
    >
      {texts.deleteText}
      {host.accounts === 'managed' && host.allows?.accounts && ` ${texts.accounts.willLock}`}
      <FailureAlert failure={query.error} />
      {query.data && <EndingSessions sessions={sshSessions} usernames={usernames} />}
    </ConfirmDialog>
  )
}

/** The others are counted. */
const MAX_NAMED = 8

type EndingSessionsProps = {
  /** Null where the host has not said, undefined for those who may not see them. */
  sessions: SshSession[] | null | undefined
  usernames: Record<string, string>
}

/** The sessions that end with the host. */
function EndingSessions({ sessions, usernames }: EndingSessionsProps) {
  const texts = useTexts('ssh').sessions
  if (!sessions)
    return (
      <Text size="sm" mt="sm">
        {sessions === null ? texts.endsUnknown : texts.endsHidden}
      </Text>
    )
  if (sessions.length === 0) return null
  const named = sessions.slice(0, MAX_NAMED)
  return (
    <>
      <Text size="sm" mt="sm" fw={550}>
        {texts.ends(sessions.length)}
      </Text>
      <List size="sm">
        {named.map(({ userId, account, sourceAddress, startedAt }, index) => (
          <List.Item key={`${userId} ${account} ${startedAt} ${index}`} style={{ overflowWrap: 'anywhere' }}>
            {usernames[userId] ?? texts.deletedPerson}, {texts.as(account)}
            {sourceAddress !== '' && `, ${texts.from(sourceAddress)}`}
          </List.Item>
        ))}
        {sessions.length > named.length && <List.Item>{texts.more(sessions.length - named.length)}</List.Item>}
      </List>
    </>
  )
}
