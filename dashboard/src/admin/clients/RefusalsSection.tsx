import { Badge, Text } from '@mantine/core'
import { queryOptions, useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { answer, api } from '../../api/client.ts'
import type { Client, Refusal, RefusalOfClient } from '../../api/shapes.ts'
import { paths } from '../../paths.ts'
import { useTexts } from '../../texts/TextsProvider.tsx'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { TextLink } from '../../ui/links.tsx'
import { QueryView } from '../../ui/QueryView.tsx'
import { RelativeTime } from '../../ui/RelativeTime.tsx'
import { Row, Rows } from '../../ui/Rows.tsx'
import { Section } from '../../ui/Section.tsx'
import { clientQuery, CLIENTS_KEY } from './clients-query.ts'
import { refusalTitle } from './refusal-case.ts'

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

const allRefusalsQuery = queryOptions({
  queryKey: [...CLIENTS_KEY, 'refusals'],
  queryFn: () => answer(api.GET('/oauth/clients/refusals')),
  // Whoever looks here is usually trying an application in another window.
  refetchInterval: 5000,
})

/** Refused requests of all applications, and of client ids that none has. Nothing is shown while there are none. */
export function AllRefusalsSection() {
  const texts = useTexts('applications').diagnosis
  const { data } = useQuery(allRefusalsQuery)
  if (!data || data.refusals.length === 0) return null
  return (
    <Section title={texts.title} description={texts.allDescription} flush>
      <RefusalRows
        label={texts.title}
        refusals={data.refusals}
        explain={(refusal) => ({
          ...(refusal.known ? {} : { title: texts.unknownClient }),
          meta: <Explanation refusal={refusal} />,
        })}
      />
    </Section>
  )
}

function Explanation({ refusal }: { refusal: RefusalOfClient }) {
  const texts = useTexts('applications').diagnosis
  const { client_id: clientId, known, details, at, endpoint, error } = refusal
  return (
    <>
      <Text size="sm" c="var(--mantine-color-text)">
        {known ? (
          <TextLink to={paths.adminClient} params={{ clientId }}>
            {clientId}
          </TextLink>
        ) : (
          <>
            <code>{clientId}</code> · {texts.unknownClientHint}
          </>
        )}
      </Text>
      {details.sent !== null && (
        <div>
          {texts.sent}: <code>{details.sent}</code>
        </div>
      )}
      <div>
        <RelativeTime at={at} /> · {endpoint} · {error}
      </div>
    </>
  )
}

/** What a row says below its title, beside it, or instead of it. */
export type Explained = { title?: string; meta: ReactNode; actions?: ReactNode }
type RefusalRowsProps<Each> = { label: string; refusals: Each[]; explain: (refusal: Each) => Explained }

/** Refused requests of applications and sites. The server counts equal ones, so they are one row. */
function RefusalRows<Each extends Refusal>({ label, refusals, explain }: RefusalRowsProps<Each>) {
  const { cases: applications, times } = useTexts('applications').diagnosis
  const { cases: sites } = useTexts('sites').refusals
  const errors = useTexts('errors')
  return (
    <Rows label={label}>
      {refusals.map((refusal) => (
        <Row
          key={JSON.stringify({ ...refusal, at: undefined, count: undefined })}
          icon="alert"
          title={refusalTitle(refusal, { applications, sites, errors })}
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
  )
}
