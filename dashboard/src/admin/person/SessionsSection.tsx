import { Button } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { SessionRow } from '../../account/SessionRow.tsx'
import { answer, api } from '../../api/client.ts'
import type { Session, User } from '../../api/shapes.ts'
import { useMe } from '../../session/me.ts'
import { useTexts } from '../../texts/TextsProvider.tsx'
import { ConfirmDialog } from '../../ui/ConfirmDialog.tsx'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { QueryView } from '../../ui/QueryView.tsx'
import { Rows } from '../../ui/Rows.tsx'
import { Section } from '../../ui/Section.tsx'
import { accessQuery } from '../users/user-queries.ts'

export function SessionsSection({ user }: { user: User }) {
  const texts = useTexts('people').devices
  const client = useQueryClient()
  const query = useQuery(accessQuery(user.id))
  const isSelf = useMe().user.id === user.id
  const [ending, setEnding] = useState<Session | 'all'>()
  const close = () => setEnding(undefined)
  const reload = () => client.invalidateQueries({ queryKey: ['admin'] })
  const params = { path: { userId: user.id } }

  return (
    <Section
      title={texts.sessions}
      description={texts.sessionsText}
      flush
      actions={
        // The own sessions are on the page of one's own account, which does not sign out the browser in use.
        !isSelf && (
          <Button size="sm" variant="default" onClick={() => setEnding('all')}>
            {texts.signOut}
          </Button>
        )
      }
    >
      <QueryView
        query={query}
        isEmpty={({ sessions }) => sessions?.length === 0}
        empty={
          <EmptyState icon="laptop" title={texts.noSessionsTitle}>
            {texts.noSessions}
          </EmptyState>
        }
      >
        {({ sessions }) => (
          <Rows label={texts.sessions}>
            {(sessions ?? []).map((session) => (
              <SessionRow
                key={session.id}
                session={session}
                {...(session.current ? {} : { onEnd: () => setEnding(session) })}
              />
            ))}
          </Rows>
        )}
      </QueryView>
      {ending === 'all' && (
        <ConfirmDialog
          title={texts.signOutTitle(user.displayName ?? user.email)}
          confirm={texts.signOutSubmit}
          onClose={close}
          action={async () => {
            await answer(api.POST('/api/admin/users/{userId}/sign-out', { params }))
            await reload()
          }}
        >
          {texts.signOutText}
        </ConfirmDialog>
      )}
      {ending !== undefined && ending !== 'all' && (
        <ConfirmDialog
          title={texts.endTitle}
          confirm={texts.end}
          onClose={close}
          action={async () => {
            const path = { ...params.path, sessionId: ending.id }
            await answer(api.DELETE('/api/admin/users/{userId}/sessions/{sessionId}', { params: { path } }))
            await reload()
          }}
        >
          {texts.endText}
        </ConfirmDialog>
      )}
    </Section>
  )
}
