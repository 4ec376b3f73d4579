import { Box, SimpleGrid } from '@mantine/core'
import type { Overview } from '../../api/shapes.ts'
import { useTexts } from '../../texts/TextsProvider.tsx'
import { BarChart } from '../../ui/BarChart.tsx'
import { Section } from '../../ui/Section.tsx'

const startOf = ({ day }: { day: string }) => Date.parse(`${day}T12:00:00Z`)

/** The same days side by side, so that they can be compared. */
export function DayCharts({ days }: { days: Overview['days'] }) {
  const texts = useTexts('admin').overview
  return (
    <SimpleGrid cols={{ base: 1, md: 3 }} mb="lg">
      <Box>
        <Section title={texts.signIns} description={texts.lastDays}>
          <BarChart
            label={texts.signIns}
            rows={days}
            day={startOf}
            series={[
              { label: texts.passkey, color: 'pine.6', value: ({ passkey }) => passkey },
              { label: texts.password, color: 'brass.4', value: ({ password }) => password },
              { label: texts.refused, color: 'red.6', value: ({ refused }) => refused },
            ]}
          />
        </Section>
      </Box>
      <Box>
        <Section title={texts.issued} description={texts.lastDays}>
          <BarChart
            label={texts.issued}
            rows={days}
            day={startOf}
            series={[{ label: texts.certificates, color: 'pine.6', value: (row) => row.certificates }]}
          />
        </Section>
      </Box>
      <Box>
        <Section title={texts.tokensIssued} description={texts.lastDays}>
          <BarChart
            label={texts.tokensIssued}
            rows={days}
            day={startOf}
            series={[{ label: texts.accessTokens, color: 'brass.4', value: (row) => row.tokens }]}
          />
        </Section>
      </Box>
    </SimpleGrid>
  )
}
