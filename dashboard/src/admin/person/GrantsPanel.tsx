import { Badge, Group } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { User } from '../../api/shapes.ts'
import { useTexts } from '../../texts/TextsProvider.tsx'
import { ApplicationLink } from '../../ui/ApplicationLink.tsx'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { QueryView } from '../../ui/QueryView.tsx'
import { RelativeTime } from '../../ui/RelativeTime.tsx'
import { Row, Rows } from '../../ui/Rows.tsx'
import { Section } from '../../ui/Section.tsx'
import { accessQuery } from '../users/user-queries.ts'

/** The applications that this person has given access to. */
export function GrantsPanel({ user }: { user: User }) {
  const texts = useTexts('people').apps
  const own = useTexts('account').applications
  const query = useQuery(accessQuery(user.id))
  return (
    <Section title={texts.granted} description={texts.grantedText} flush>
      <QueryView
        query={query}
        isEmpty={({ apps }) => apps.length === 0}
        empty={
          <EmptyState icon="apps" title={texts.grantedEmptyTitle}>
            {texts.grantedEmpty}
          </EmptyState>
        }
      >
        {({ apps }) => (
          <Rows label={texts.granted}>
            {apps.map((grant) => (
              <Row
                key={grant.client_id}
                icon="apps"
                title={<ApplicationLink id={grant.client_id}>{grant.name}</ApplicationLink>}
                meta={
                  <>
                    {own.since} <RelativeTime at={grant.updatedAt} />
                    <Group gap={6} mt={6}>
                      {grant.scopes.map((scope) => (
                        <Badge key={scope} variant="default" size="sm" fw={500}>
                          {scope}
                        </Badge>
                      ))}
                    </Group>
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
