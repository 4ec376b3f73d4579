import { Badge, Button, Text } from '@mantine/core'
import { queryOptions, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { answer, api } from '../../api/client.ts'
import type { Client, Refusal } from '../../api/shapes.ts'
import { useTexts } from '../../texts/TextsProvider.tsx'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { QueryView } from '../../ui/QueryView.tsx'
import { RelativeTime } from '../../ui/RelativeTime.tsx'
import { Row, Rows } from '../../ui/Rows.tsx'
import { Section } from '../../ui/Section.tsx'
import { clientQuery } from './clients-query.ts'
import { MendDialog } from './MendDialog.tsx'
import { type Mend, mendFor, refusalCase } from './refusal-case.ts'

const refusalsQuery = (clientId: string) =>
  queryOptions({
    queryKey: [...clientQuery(clientId).queryKey, 'refusals'],
    queryFn: () => answer(api.GET('/oauth/clients/{clientId}/refusals', { params: { path: { clientId } } })),
    // Whoever looks here is usually trying the application in another window.
    refetchInterval: 5000,
  })

type Props = { application: Client; mayWrite: boolean }

/** The refused requests of an application, with what was wrong and how to mend it. */
export function DiagnosisPanel({ application, mayWrite }: Props) {
  const texts = useTexts('applications').diagnosis
  const query = useQuery(refusalsQuery(application.client_id))
  const [mend, setMend] = useState<Mend>()
  const mayUseRs256 = mayWrite && application.id_token_signed_response_alg === 'ES256'
  return (
    <>
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
                <RefusalRow
                  key={JSON.stringify([refusal.endpoint, refusal.error, refusal.description, refusal.details])}
                  refusal={refusal}
                  mend={mayWrite ? mendFor(refusal, application) : undefined}
                  onMend={setMend}
                />
              ))}
            </Rows>
          )}
        </QueryView>
      </Section>
      <Section title={texts.unseenTitle} description={texts.unseen}>
        {mayUseRs256 && (
          <Button variant="default" onClick={() => setMend({ kind: 'rs256' })}>
            {texts.mend.rs256}…
          </Button>
        )}
      </Section>
      {mend && <MendDialog mend={mend} application={application} onClose={() => setMend(undefined)} />}
    </>
  )
}

type RowProps = { refusal: Refusal; mend: Mend | undefined; onMend: (mend: Mend) => void }

function RefusalRow({ refusal, mend, onMend }: RowProps) {
  const texts = useTexts('applications').diagnosis
  const { at, endpoint, error, description, details, count } = refusal
  const found = refusalCase(refusal)
  return (
    <Row
      icon="alert"
      title={found === 'other' ? description : texts.cases[found]}
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
            {found === 'other' ? refusal.hint : texts.hints[found]}
            {found === 'redirectUri' && !mend && ` ${texts.byHand}`}
            {found === 'pkce' && mend && ` ${texts.orOptional}`}
          </Text>
          {details.sent !== null && (
            <div>
              {texts.sent}: <code>{details.sent}</code>
            </div>
          )}
          {details.expected !== null && (
            <div>
              {texts.expected}: <code>{details.expected}</code>
            </div>
          )}
          <div>
            <RelativeTime at={at} /> · {endpoint} · {error}
          </div>
        </>
      }
      actions={
        mend && (
          <Button size="xs" variant="default" onClick={() => onMend(mend)}>
            {texts.mend[mend.kind]}…
          </Button>
        )
      }
    />
  )
}
