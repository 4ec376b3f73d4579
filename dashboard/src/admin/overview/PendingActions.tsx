import type { Overview } from '../../api/shapes.ts'
import { useFormat } from '../../lib/use-format.ts'
import { paths } from '../../paths.ts'
import { useTexts } from '../../texts/TextsProvider.tsx'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { TextLink } from '../../ui/LinkButton.tsx'
import { Row, Rows } from '../../ui/Rows.tsx'
import { Section } from '../../ui/Section.tsx'

export function PendingActions({ actions }: { actions: Overview['lifecycle']['next'] }) {
  const texts = useTexts('admin')
  const format = useFormat()
  return (
    <Section title={texts.overview.next} flush>
      {actions.length === 0 ? (
        <EmptyState icon="clock" title={texts.overview.nothingPending} />
      ) : (
        <Rows label={texts.overview.next}>
          {actions.map(({ id, userId, email, action, executeAt }) => (
            <Row
              key={id}
              icon="clock"
              title={
                <TextLink to={paths.adminUser} params={{ userId }} c="inherit" fw={550}>
                  {email}
                </TextLink>
              }
              meta={`${texts.lifecycle.action[action]} · ${format.dateTime(executeAt)}`}
            />
          ))}
        </Rows>
      )}
    </Section>
  )
}
