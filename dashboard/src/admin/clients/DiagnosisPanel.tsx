import { Button, Text } from '@mantine/core'
import { useState } from 'react'
import type { Client, Refusal } from '../../api/shapes.ts'
import { useTexts } from '../../texts/TextsProvider.tsx'
import { RelativeTime } from '../../ui/RelativeTime.tsx'
import { Section } from '../../ui/Section.tsx'
import { MendDialog } from './MendDialog.tsx'
import { type Mend, mendFor, refusalCase } from './refusal-case.ts'
import { RefusalsSection } from './RefusalsSection.tsx'

type Props = { application: Client; mayWrite: boolean }

/** The refused requests of an application, with what was wrong and how to mend it. */
export function DiagnosisPanel({ application, mayWrite }: Props) {
  const texts = useTexts('applications').diagnosis
  const [mend, setMend] = useState<Mend>()
  const mayUseRs256 = mayWrite && application.id_token_signed_response_alg === 'ES256'
  return (
    <>
      <RefusalsSection
        application={application}
        texts={texts}
        explain={(refusal) => {
          const offered = mayWrite ? mendFor(refusal, application) : undefined
          return {
            meta: <Explanation refusal={refusal} isMendable={offered !== undefined} />,
            actions: offered && (
              <Button size="xs" variant="default" onClick={() => setMend(offered)}>
                {texts.mend[offered.kind]}…
              </Button>
            ),
          }
        }}
      />
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

function Explanation({ refusal, isMendable }: { refusal: Refusal; isMendable: boolean }) {
  const texts = useTexts('applications').diagnosis
  const { at, endpoint, error, details } = refusal
  const found = refusalCase(refusal)
  return (
    <>
      <Text size="sm" c="var(--mantine-color-text)">
        {found === 'other' ? refusal.hint : texts.hints[found]}
        {found === 'redirectUri' && !isMendable && ` ${texts.byHand}`}
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
  )
}
