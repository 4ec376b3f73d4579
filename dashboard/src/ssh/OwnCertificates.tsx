import { Badge, Group } from '@mantine/core'
import { useInfiniteQuery } from '@tanstack/react-query'
import { useFormat } from '../lib/use-format.ts'
import { useTexts } from '../texts/TextsProvider.tsx'
import { EmptyState } from '../ui/EmptyState.tsx'
import { MoreButton } from '../ui/MoreButton.tsx'
import { QueryView } from '../ui/QueryView.tsx'
import { Row, Rows } from '../ui/Rows.tsx'
import { Section } from '../ui/Section.tsx'
import { certificateState, stateColors } from './certificate-state.ts'
import { ownCertificatesQuery } from './ssh-queries.ts'

export function OwnCertificates() {
  const texts = useTexts('ssh').own
  const format = useFormat()
  const query = useInfiniteQuery(ownCertificatesQuery)
  return (
    <Section title={texts.title} flush>
      <QueryView
        query={query}
        isEmpty={({ pages }) => pages[0]?.certificates.length === 0}
        empty={
          <EmptyState icon="certificate" title={texts.emptyTitle}>
            {texts.empty}
          </EmptyState>
        }
      >
        {({ pages }) => (
          <Rows label={texts.title}>
            {pages.flatMap(({ certificates }) =>
              certificates.map((certificate) => {
                const state = certificateState(certificate)
                return (
                  <Row
                    key={certificate.id}
                    icon="certificate"
                    title={`№ ${certificate.serial}`}
                    badge={
                      <Badge size="sm" variant="light" color={stateColors[state]}>
                        {texts[state]}
                      </Badge>
                    }
                    meta={
                      <>
                        {texts.as} {certificate.principals.join(', ')} · {texts.until}{' '}
                        {format.dateTime(certificate.validBefore * 1000)}
                        {certificate.revokeReason && ` · ${certificate.revokeReason}`}
                      </>
                    }
                  />
                )
              }),
            )}
          </Rows>
        )}
      </QueryView>
      <Group justify="center" pb={query.hasNextPage ? 'md' : 0}>
        <MoreButton query={query} />
      </Group>
    </Section>
  )
}
