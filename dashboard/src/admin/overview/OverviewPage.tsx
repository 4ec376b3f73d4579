import { Paper, SimpleGrid, Skeleton, Stack, Text } from '@mantine/core'
import { queryOptions, useQuery } from '@tanstack/react-query'
import { answer, api } from '../../api/client.ts'
import { useFormat } from '../../lib/use-format.ts'
import { useTexts } from '../../texts/TextsProvider.tsx'
import { BarChart } from '../../ui/BarChart.tsx'
import { PageHeader } from '../../ui/PageHeader.tsx'
import { QueryView } from '../../ui/QueryView.tsx'
import { Section } from '../../ui/Section.tsx'
import { PendingActions } from './PendingActions.tsx'

const overviewQuery = queryOptions({
  queryKey: ['admin', 'overview'],
  queryFn: () => answer(api.GET('/api/admin/overview')),
  refetchInterval: 30_000,
})

const startOf = ({ day }: { day: string }) => Date.parse(`${day}T12:00:00Z`)

export function OverviewPage() {
  const texts = useTexts('admin').overview
  const query = useQuery(overviewQuery)
  return (
    <>
      <PageHeader title={texts.title} description={texts.description} />
      <QueryView query={query} skeleton={<OverviewSkeleton />}>
        {({ users, sessions, tokens, certificates, lifecycle, days }) => (
          <>
            <SimpleGrid cols={{ base: 2, sm: 3, lg: 5 }} mb="lg">
              <Figure
                label={texts.users}
                value={users.active}
                note={texts.usersNote(users.disabled, users.administrators)}
              />
              <Figure label={texts.sessions} value={sessions.active} />
              <Figure label={texts.tokens} value={tokens.active} />
              <Figure label={texts.certificates} value={certificates.issued} />
              <Figure
                label={texts.pending}
                value={lifecycle.pending}
                note={lifecycle.failed > 0 ? texts.failed(lifecycle.failed) : undefined}
              />
            </SimpleGrid>
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
            <Section title={texts.issued} description={texts.lastDays}>
              <BarChart
                label={texts.issued}
                rows={days}
                day={startOf}
                series={[{ label: texts.certificates, color: 'pine.6', value: (row) => row.certificates }]}
              />
            </Section>
            <Section title={texts.tokensIssued} description={texts.lastDays}>
              <BarChart
                label={texts.tokensIssued}
                rows={days}
                day={startOf}
                series={[{ label: texts.accessTokens, color: 'brass.4', value: (row) => row.tokens }]}
              />
            </Section>
            <PendingActions actions={lifecycle.next} />
          </>
        )}
      </QueryView>
    </>
  )
}

function Figure({ label, value, note }: { label: string; value: number; note?: string | undefined }) {
  const format = useFormat()
  return (
    <Paper withBorder p="md" style={{ borderColor: 'var(--latchkey-line)' }}>
      <Text size="sm" c="dimmed">
        {label}
      </Text>
      <Text fz={28} fw={620} lh={1.3}>
        {format.number(value)}
      </Text>
      {note && (
        <Text size="xs" c="dimmed">
          {note}
        </Text>
      )}
    </Paper>
  )
}

function OverviewSkeleton() {
  const { loading } = useTexts('shared')
  return (
    <Stack role="status" aria-label={loading}>
      <Skeleton h={96} radius="lg" />
      <Skeleton h={260} radius="lg" />
    </Stack>
  )
}
