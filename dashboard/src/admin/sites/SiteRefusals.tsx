import { Badge } from '@mantine/core'
import { queryOptions, useQuery } from '@tanstack/react-query'
import { answer, api } from '../../api/client.ts'
import type { Client } from '../../api/shapes.ts'
import { useTexts } from '../../texts/TextsProvider.tsx'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { QueryView } from '../../ui/QueryView.tsx'
import { RelativeTime } from '../../ui/RelativeTime.tsx'
import { Row, Rows } from '../../ui/Rows.tsx'
import { Section } from '../../ui/Section.tsx'
import { clientQuery } from '../clients/clients-query.ts'

const refusalsQuery = (clientId: string) =>
  queryOptions({
    queryKey: [...clientQuery(clientId).queryKey, 'refusals'],
    queryFn: () => answer(api.GET('/oauth/clients/{clientId}/refusals', { params: { path: { clientId } } })),
    // Whoever looks here is usually trying the site in another window.
    refetchInterval: 5000,
  })

/** Requests that the site did not let through. */
export function SiteRefusals({ site }: { site: Client }) {
  const texts = useTexts('sites').refusals
  const query = useQuery(refusalsQuery(site.client_id))
  const cases: Partial<Record<string, string>> = texts.cases
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
            {refusals.map(({ at, endpoint, error, description, details, count }) => (
              <Row
                key={JSON.stringify([endpoint, error, description, details])}
                icon="alert"
                title={cases[error] ?? description}
                badge={
                  count > 1 && (
                    <Badge size="sm" variant="light" color="gray">
                      {texts.times(count)}
                    </Badge>
                  )
                }
                meta={
                  <>
                    {details.sent !== null && <code>{details.sent}</code>}
                    <div>
                      <RelativeTime at={at} />
                    </div>
                  </>
                }
              />
            ))}
          </Rows>
        )}
      </QueryView>
    </Section>
  )
}
