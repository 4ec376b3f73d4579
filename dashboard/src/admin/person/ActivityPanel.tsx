import { useInfiniteQuery } from '@tanstack/react-query'
import type { User } from '../../api/shapes.ts'
import { paths } from '../../paths.ts'
import { useTexts } from '../../texts/TextsProvider.tsx'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { LinkButton } from '../../ui/LinkButton.tsx'
import { MoreButton } from '../../ui/MoreButton.tsx'
import { QueryView } from '../../ui/QueryView.tsx'
import { Section } from '../../ui/Section.tsx'
import { auditQuery } from '../audit/audit-query.ts'
import { AuditTable } from '../audit/AuditTable.tsx'

/** The part of the audit trail that is about this person. */
export function ActivityPanel({ user }: { user: User }) {
  const texts = useTexts('people').activity
  const audit = useTexts('admin').audit
  const query = useInfiniteQuery(auditQuery({ about: user.id }))
  return (
    <>
      <Section
        title={texts.title}
        description={texts.description}
        flush
        actions={
          <LinkButton size="sm" variant="default" to={paths.adminAudit} search={{ about: user.id }}>
            {texts.all}
          </LinkButton>
        }
      >
        <QueryView
          query={query}
          isEmpty={({ pages }) => pages.every(({ events }) => events.length === 0)}
          empty={
            <EmptyState icon="list" title={audit.emptyTitle}>
              {audit.empty}
            </EmptyState>
          }
        >
          {({ pages }) => <AuditTable events={pages.flatMap(({ events }) => events)} />}
        </QueryView>
      </Section>
      <MoreButton query={query} />
    </>
  )
}
