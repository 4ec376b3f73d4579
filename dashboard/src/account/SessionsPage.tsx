import { Button } from '@mantine/core'
import { queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { answer, api } from '../api/client.ts'
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
  const end = useMutation({
    mutationFn: (id: string) => answer(api.POST('/api/auth/sessions/{id}/revoke', { params: { path: { id } } })),
    onSettled: reload,
  })
  const others = query.data?.sessions.filter(({ current }) => !current) ?? []

  return (
    <>
      <PageHeader title={texts.title} description={texts.description} />
      <FailureAlert failure={end.error} />
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
                  ending={end.isPending && end.variables === session.id}
                  onEnd={() => end.mutate(session.id)}
                />
              ))}
            </Rows>
          )}
        </QueryView>
      </Section>
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
