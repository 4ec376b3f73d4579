import { Button } from '@mantine/core'
import { queryOptions, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { answer, api } from '../api/client.ts'
import { useSubmit } from '../lib/use-submit.ts'
import { OwnSshSessionsIfAny } from '../ssh/OwnSshSessions.tsx'
import { useTexts } from '../texts/TextsProvider.tsx'
import { EmptyState } from '../ui/EmptyState.tsx'
import { FailureAlert } from '../ui/FailureAlert.tsx'
import { ConfirmDialog } from '../ui/FormDialog.tsx'
import { PageHeader } from '../ui/PageHeader.tsx'
import { QueryView } from '../ui/QueryView.tsx'
import { Rows } from '../ui/Rows.tsx'
import { Section } from '../ui/Section.tsx'
import { SessionRow } from './SessionRow.tsx'

const sessionsQuery = queryOptions({ queryKey: ['sessions'], queryFn: () => answer(api.GET('/api/auth/sessions')) })

export function SessionsPage() {
  const texts = useTexts('account').sessions
  const client = useQueryClient()
  const query = useQuery(sessionsQuery)
  const [endingAll, setEndingAll] = useState(false)
  const reload = () => client.invalidateQueries({ queryKey: sessionsQuery.queryKey })
  const [ending, setEnding] = useState<string>()
  // One for all rows: the second click of a double click may meet the row that moved up.
  const end = useSubmit(
    (id: string) => {
      setEnding(id)
      return answer(api.POST('/api/auth/sessions/{id}/revoke', { params: { path: { id } } }))
    },
    { reload },
  )
  const others = query.data?.sessions.filter(({ current }) => !current) ?? []

  return (
    <>
      <PageHeader title={texts.title} description={texts.description} />
      <FailureAlert failure={end.failure} />
      <Section title={texts.current} flush>
        <QueryView query={query}>
          {({ sessions }) => (
            <Rows label={texts.current}>
              {sessions
                .filter(({ current }) => current)
                .map((session) => (
                  <SessionRow key={session.id} session={session} />
                ))}
            </Rows>
          )}
        </QueryView>
      </Section>
      <Section
        title={texts.others}
        flush
        actions={
          others.length > 0 && (
            <Button variant="default" size="sm" onClick={() => setEndingAll(true)}>
              {texts.endAll}
            </Button>
          )
        }
      >
        <QueryView
          query={query}
          isEmpty={() => others.length === 0}
          empty={
            <EmptyState icon="laptop" title={texts.emptyTitle}>
              {texts.empty}
            </EmptyState>
          }
        >
          {() => (
            <Rows label={texts.others}>
              {others.map((session) => (
                <SessionRow
                  key={session.id}
                  session={session}
                  ending={end.busy && ending === session.id}
                  onEnd={() => end.run(session.id)}
                />
              ))}
            </Rows>
          )}
        </QueryView>
      </Section>
      <OwnSshSessionsIfAny />
      {endingAll && (
        <ConfirmDialog
          title={texts.endAllTitle}
          confirm={texts.endAll}
          onClose={() => setEndingAll(false)}
          action={async () => {
            await answer(api.POST('/api/auth/sessions/revoke-all'))
            await reload()
          }}
        >
          {texts.endAllText}
        </ConfirmDialog>
      )}
    </>
  )
}
