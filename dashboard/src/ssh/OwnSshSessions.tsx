import { useQuery } from '@tanstack/react-query'
import { useTexts } from '../texts/TextsProvider.tsx'
import { EmptyState } from '../ui/EmptyState.tsx'
import { QueryView } from '../ui/QueryView.tsx'
import { Section } from '../ui/Section.tsx'
import { ownSshSessionsQuery } from './ssh-sessions-query.ts'
import { SshSessionRows } from './SshSessionRows.tsx'

/** One's own sessions on hosts. */
export function OwnSshSessions() {
  const texts = useTexts('ssh').sessions
  const query = useQuery(ownSshSessionsQuery)
  return (
    <Section title={texts.title} description={texts.reported} flush>
      <QueryView
        query={query}
        isEmpty={({ sshSessions }) => sshSessions.length === 0}
        empty={
          <EmptyState icon="terminal" title={texts.ownEmptyTitle}>
            {texts.ownEmpty}
          </EmptyState>
        }
      >
        {({ sshSessions }) => (
          <SshSessionRows label={texts.title} sessions={sshSessions} titleOf={({ hostName }) => hostName} mayEnd />
        )}
      </QueryView>
    </Section>
  )
}

/** The same beside other sessions: most people have none on hosts. */
export function OwnSshSessionsIfAny() {
  const query = useQuery(ownSshSessionsQuery)
  return (query.data?.sshSessions.length ?? 0) > 0 ? <OwnSshSessions /> : null
}
