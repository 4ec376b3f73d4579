import type { SshSession } from '../../api/shapes.ts'
import { useMay } from '../../session/me.ts'
import { SshSessionRows } from '../../ssh/SshSessionRows.tsx'
import { useTexts } from '../../texts/TextsProvider.tsx'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { PersonLink } from '../../ui/links.tsx'
import { Section } from '../../ui/Section.tsx'

type Props = {
  /** Null where the host has not said. */
  sessions: SshSession[] | null
  usernames: Record<string, string>
}

/** Who is on a host now. */
export function HostSessions({ sessions, usernames }: Props) {
  const texts = useTexts('ssh').sessions
  const mayRevoke = useMay()('ssh:cert:revoke')
  return (
    <Section title={texts.there} description={texts.reportedByHost} flush>
      {sessions === null ? (
        <EmptyState icon="terminal" title={texts.notKnownTitle}>
          {texts.notKnown}
        </EmptyState>
      ) : sessions.length === 0 ? (
        <EmptyState icon="terminal" title={texts.nobodyTitle}>
          {texts.nobody}
        </EmptyState>
      ) : (
        <SshSessionRows
          label={texts.there}
          sessions={sessions}
          titleOf={({ userId }) => {
            const username = usernames[userId]
            return username === undefined ? texts.deletedPerson : <PersonLink id={userId}>{username}</PersonLink>
          }}
          mayEnd={mayRevoke}
        />
      )}
    </Section>
  )
}
