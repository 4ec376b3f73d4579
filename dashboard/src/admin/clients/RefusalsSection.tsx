import { Badge } from '@mantine/core'
import { queryOptions, useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { answer, api } from '../../api/client.ts'
import type { Client, Refusal } from '../../api/shapes.ts'
import { useTexts } from '../../texts/TextsProvider.tsx'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { QueryView } from '../../ui/QueryView.tsx'
import { Row, Rows } from '../../ui/Rows.tsx'
import { Section } from '../../ui/Section.tsx'
import { clientQuery } from './clients-query.ts'

const refusalsQuery = (clientId: string) =>
  queryOptions({
    queryKey: [...clientQuery(clientId).queryKey, 'refusals'],
    queryFn: () => answer(api.GET('/oauth/clients/{clientId}/refusals', { params: { path: { clientId } } })),
    // Whoever looks here is usually trying the application in another window.
    refetchInterval: 5000,
  })

type Explained = { title: string; meta: ReactNode; actions?: ReactNode }
type Props = {
  application: Client
  texts: { title: string; description: string; emptyTitle: string; empty: string }
  explain: (refusal: Refusal) => Explained
}

/** The refused requests of an application or a site, each explained. */
export function RefusalsSection({ application, texts, explain }: Props) {
  const { times } = useTexts('applications').diagnosis
  const query = useQuery(refusalsQuery(application.client_id))
  return (
    <Section title={texts.title} description={texts.description} flush>
      <QueryView
        query={query}
        isEmpty={({ refusals }) => refusals.length === 0}
        empty={
          <EmptyState icon="check" title={texts.emptyTitle}>
            {texts.empty}
          </EmptyState>
        }
      >
        {({ refusals }) => (
          <Rows label={texts.title}>
            {refusals.map((refusal) => (
              <Row
                key={JSON.stringify([refusal.endpoint, refusal.error, refusal.description, refusal.details])}
                icon="alert"
                badge={
                  refusal.count > 1 && (
                    <Badge size="sm" variant="light" color="gray">
                      {times(refusal.count)}
                    </Badge>
                  )
                }
                {...explain(refusal)}
              />
            ))}
          </Rows>
        )}
      </QueryView>
    </Section>
  )
}
