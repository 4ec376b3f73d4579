import { Badge } from '@mantine/core'
import type { ReactNode } from 'react'
import type { Refusal } from '../../api/shapes.ts'
import { useTexts } from '../../texts/TextsProvider.tsx'
import { Row, Rows } from '../../ui/Rows.tsx'
import { refusalTitle } from './refusal-case.ts'

/** What a row says below its title, beside it, or instead of it. */
export type Explained = { title?: string; meta: ReactNode; actions?: ReactNode }
type Props<Each> = { label: string; refusals: Each[]; explain: (refusal: Each) => Explained }

/** Refused requests of applications and sites. The server counts equal ones, so they are one row. */
export function RefusalRows<Each extends Refusal>({ label, refusals, explain }: Props<Each>) {
  const { cases: applications, times } = useTexts('applications').diagnosis
  const { cases: sites } = useTexts('sites').refusals
  const sentences = useTexts('refusals')
  return (
    <Rows label={label}>
      {refusals.map((refusal) => (
        <Row
          key={JSON.stringify({ ...refusal, at: undefined, count: undefined })}
          icon="alert"
          title={refusalTitle(refusal, { applications, sites, sentences })}
          badge={
            refusal.count > 1 && (
              <Badge size="sm" variant="light" color="gray">
                {times(refusal.count)}
              </Badge>
            )
          }
          {...explain(refusal)}
        />
      ))}
    </Rows>
  )
}
