import { Box } from '@mantine/core'
import type { Overview } from '../../api/shapes.ts'
import { useFormat } from '../../lib/use-format.ts'
import { useTexts } from '../../texts/TextsProvider.tsx'
import { PersonLink } from '../../ui/PersonLink.tsx'
import { Row, Rows } from '../../ui/Rows.tsx'
import { Section } from '../../ui/Section.tsx'

/** What went wrong in the last days. Nothing when all is well. */
export function AttentionSection({ attention }: { attention: Overview['attention'] }) {
  const texts = useTexts('admin').overview
  const format = useFormat()
  const { delayedMail, failedMail, failedJobs } = attention
  // Null for those who may not see planned actions.
  const failedActions = attention.failedActions ?? []
  if (delayedMail + failedMail.length + failedActions.length + failedJobs.length === 0) return null
  return (
    <Box mb="lg">
      <Section title={texts.attention} flush>
        <Rows label={texts.attention}>
          {failedActions.map(({ id, at, userId, email, action, reason }) => (
            <Row
              key={id}
              icon="alert"
              title={
                <>
                  <PersonLink id={userId}>{email}</PersonLink> {texts.failedAction[action]}
                </>
              }
              meta={[at === null ? '' : format.dateTime(at), reason].filter(Boolean).join(' · ')}
            />
          ))}
          {failedJobs.map(({ name, at }) => (
            <Row
              key={name}
              icon="alert"
              title={texts.failedJob(name)}
              meta={`${format.dateTime(at)} · ${texts.failedJobText}`}
            />
          ))}
          {delayedMail > 0 && <Row icon="mail" title={texts.delayedMail(delayedMail)} meta={texts.delayedMailText} />}
          {failedMail.map(({ id, at, recipient, subject, reason }) => (
            <Row
              key={id}
              icon="mail"
              title={texts.failedMail(recipient)}
              meta={[format.dateTime(at), subject, reason].filter(Boolean).join(' · ')}
            />
          ))}
        </Rows>
      </Section>
    </Box>
  )
}
