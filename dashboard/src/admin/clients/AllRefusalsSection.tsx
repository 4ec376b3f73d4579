import { Text } from '@mantine/core'
import { queryOptions, useQuery } from '@tanstack/react-query'
import { answer, api } from '../../api/client.ts'
import type { RefusalOfClient } from '../../api/shapes.ts'
import { paths } from '../../paths.ts'
import { useTexts } from '../../texts/TextsProvider.tsx'
import { TextLink } from '../../ui/LinkButton.tsx'
import { RelativeTime } from '../../ui/RelativeTime.tsx'
import { Section } from '../../ui/Section.tsx'
import { CLIENTS_KEY } from './clients-query.ts'
import { RefusalRows } from './RefusalRows.tsx'

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
