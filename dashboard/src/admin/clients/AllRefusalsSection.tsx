import { Badge, Text } from '@mantine/core'
import { queryOptions, useQuery } from '@tanstack/react-query'
import { answer, api } from '../../api/client.ts'
import type { RefusalOfClient } from '../../api/shapes.ts'
import { paths } from '../../paths.ts'
import { useTexts } from '../../texts/TextsProvider.tsx'
import { TextLink } from '../../ui/LinkButton.tsx'
import { RelativeTime } from '../../ui/RelativeTime.tsx'
import { Row, Rows } from '../../ui/Rows.tsx'
import { Section } from '../../ui/Section.tsx'
import { CLIENTS_KEY } from './clients-query.ts'
import { refusalCase } from './refusal-case.ts'

const refusalsQuery = queryOptions({
  queryKey: [...CLIENTS_KEY, 'refusals'],
  queryFn: () => answer(api.GET('/oauth/clients/refusals')),
  // Whoever looks here is usually trying an application in another window.
  refetchInterval: 5000,
})

/** Refused requests of all applications, and of client ids that none has. Nothing is shown while there are none. */
export function AllRefusalsSection() {
  const texts = useTexts('applications').diagnosis
  const { data } = useQuery(refusalsQuery)
  if (!data || data.refusals.length === 0) return null
  return (
    <Section title={texts.title} description={texts.allDescription} flush>
      <Rows label={texts.title}>
        {data.refusals.map((refusal) => (
          <RefusalRow
            key={JSON.stringify([
              refusal.client_id,
              refusal.endpoint,
              refusal.error,
              refusal.description,
              refusal.details,
            ])}
            refusal={refusal}
          />
        ))}
      </Rows>
    </Section>
  )
}

function RefusalRow({ refusal }: { refusal: RefusalOfClient }) {
  const texts = useTexts('applications').diagnosis
  const { client_id: clientId, known, count, description, details, at, endpoint, error } = refusal
  const found = refusalCase(refusal)
  const title = found === 'other' ? description : texts.cases[found]
  return (
    <Row
      icon="alert"
      title={known ? title : texts.unknownClient}
      badge={
        count > 1 && (
          <Badge size="sm" variant="light" color="gray">
            {texts.times(count)}
          </Badge>
        )
      }
      meta={
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
      }
    />
  )
}
