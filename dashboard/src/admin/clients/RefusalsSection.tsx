import { queryOptions, useQuery } from '@tanstack/react-query'
import { answer, api } from '../../api/client.ts'
import type { Client, Refusal } from '../../api/shapes.ts'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { QueryView } from '../../ui/QueryView.tsx'
import { Section } from '../../ui/Section.tsx'
import { clientQuery } from './clients-query.ts'
import { type Explained, RefusalRows } from './RefusalRows.tsx'

const refusalsQuery = (clientId: string) =>
  queryOptions({
    queryKey: [...clientQuery(clientId).queryKey, 'refusals'],
    queryFn: () => answer(api.GET('/oauth/clients/{clientId}/refusals', { params: { path: { clientId } } })),
    // Whoever looks here is usually trying the application in another window.
    refetchInterval: 5000,
  })

type Props = {
  application: Client
  texts: { title: string; description: string; emptyTitle: string; empty: string }
  explain: (refusal: Refusal) => Explained
}

/** The refused requests of an application or a site, each explained. */
export function RefusalsSection({ application, texts, explain }: Props) {
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
        {({ refusals }) => <RefusalRows label={texts.title} refusals={refusals} explain={explain} />}
      </QueryView>
    </Section>
  )
}
