import { Button } from '@mantine/core'
import { useState } from 'react'
import type { Overview } from '../../api/shapes.ts'
import { useFormat } from '../../lib/use-format.ts'
import { useTexts } from '../../texts/TextsProvider.tsx'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { PersonLink } from '../../ui/PersonLink.tsx'
import { Row, Rows } from '../../ui/Rows.tsx'
import { Section } from '../../ui/Section.tsx'
import { CancelActionDialog } from '../person/ScheduledAction.tsx'

type Planned = NonNullable<Overview['lifecycle']>['next'][number]

export function PendingActions({ actions }: { actions: Planned[] }) {
  const texts = useTexts('admin')
  const { scheduled } = useTexts('people')
  const format = useFormat()
  const [cancelling, setCancelling] = useState<Planned>()
  return (
    <Section title={texts.overview.next} flush>
      {actions.length === 0 ? (
        <EmptyState icon="clock" title={texts.overview.nothingPending} />
      ) : (
        <Rows label={texts.overview.next}>
          {actions.map((planned) => (
            <Row
              key={planned.id}
              icon="clock"
              title={<PersonLink id={planned.userId}>{planned.email}</PersonLink>}
              meta={`${texts.lifecycle.action[planned.action]} · ${format.dateTime(planned.executeAt)}`}
              actions={
                <Button size="xs" variant="default" onClick={() => setCancelling(planned)}>
                  {scheduled.cancel}
                </Button>
              }
            />
          ))}
        </Rows>
      )}
      {cancelling && <CancelActionDialog planned={cancelling} onClose={() => setCancelling(undefined)} />}
    </Section>
  )
}
