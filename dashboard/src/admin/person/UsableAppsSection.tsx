import { Badge } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { User } from '../../api/shapes.ts'
import { useTexts } from '../../texts/TextsProvider.tsx'
import { ApplicationLink } from '../../ui/ApplicationLink.tsx'
import { ApplicationLogo } from '../../ui/ApplicationLogo.tsx'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { QueryView } from '../../ui/QueryView.tsx'
import { Row, Rows } from '../../ui/Rows.tsx'
import { Section } from '../../ui/Section.tsx'
import { userAppsQuery } from '../users/user-queries.ts'

/** Which applications are open to this person, and why. */
export function UsableAppsSection({ user }: { user: User }) {
  const texts = useTexts('people').apps
  const query = useQuery(userAppsQuery(user.id))
  return (
    <Section title={texts.title} description={texts.description} flush>
      <QueryView
        query={query}
        isEmpty={({ apps }) => apps.length === 0}
        empty={
          <EmptyState icon="apps" title={texts.emptyTitle}>
            {texts.empty}
          </EmptyState>
        }
      >
        {({ apps }) => (
          <Rows label={texts.title}>
            {apps.map((app) => (
              <Row
                key={app.client_id}
                lead={<ApplicationLogo name={app.name} logoUrl={app.logoUrl} />}
                title={<ApplicationLink id={app.client_id}>{app.name}</ApplicationLink>}
                badge={
                  app.authorized && (
                    <Badge size="sm" variant="light">
                      {texts.authorized}
                    </Badge>
                  )
                }
                meta={app.everybody ? texts.everybody : texts.because(app.roles.map(({ name }) => name).join(', '))}
              />
            ))}
          </Rows>
        )}
      </QueryView>
    </Section>
  )
}
