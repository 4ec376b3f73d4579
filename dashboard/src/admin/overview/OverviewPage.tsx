import { SimpleGrid, Skeleton, Stack } from '@mantine/core'
import { queryOptions, useQuery } from '@tanstack/react-query'
import { answer, api } from '../../api/client.ts'
import type { Overview } from '../../api/shapes.ts'
import { paths } from '../../paths.ts'
import { useMay } from '../../session/me.ts'
import { useTexts } from '../../texts/TextsProvider.tsx'
import { PageHeader } from '../../ui/PageHeader.tsx'
import { QueryView } from '../../ui/QueryView.tsx'
import { AttentionSection } from './AttentionSection.tsx'
import { DayCharts } from './DayCharts.tsx'
import { Figure } from './Figure.tsx'
import { PendingActions } from './PendingActions.tsx'
import { SetupChecklist } from './SetupChecklist.tsx'

const overviewQuery = queryOptions({
  queryKey: ['admin', 'overview'],
  queryFn: () => answer(api.GET('/api/admin/overview')),
  refetchInterval: ({ state: { data } }) => (data && isCounting(data) ? COUNTING_MS : 30_000),
})

/** The server counts again no sooner. */
const COUNTING_MS = 5000
const isCounting = ({ users, sessions, tokens }: Overview): boolean =>
  [users, sessions, tokens].some(({ active }) => active === null)

/** A plot of one day says nothing. */
const isNew = ({ days }: Overview): boolean =>
  days.filter((day) => day.password + day.passkey + day.certificates + day.tokens > 0).length < 2

export function OverviewPage() {
  const texts = useTexts('admin').overview
  const query = useQuery(overviewQuery)
  return (
    <>
      <PageHeader title={texts.title} description={texts.description} />
      <QueryView query={query} skeleton={<OverviewSkeleton />}>
        {(overview) => (
          <>
            <AttentionSection attention={overview.attention} />
            <SetupChecklist setup={overview.setup} isNew={isNew(overview)} />
            <Figures overview={overview} />
            {!isNew(overview) && <DayCharts days={overview.days} />}
            {overview.lifecycle && <PendingActions actions={overview.lifecycle.next} />}
          </>
        )}
      </QueryView>
    </>
  )
}

/** Each leads to the list that it counts. */
function Figures({ overview: { users, sessions, tokens, certificates, lifecycle } }: { overview: Overview }) {
  const texts = useTexts('admin').overview
  const may = useMay()
  return (
    <SimpleGrid cols={{ base: 2, sm: 3, lg: 5 }} mb="lg">
      <Figure
        label={texts.users}
        value={users.active}
        note={texts.usersNote(users.disabled, users.administrators)}
        link={{ to: paths.adminUsers, search: { status: 'active' } }}
      />
      <Figure
        label={texts.sessions}
        value={sessions.active}
        link={may('audit:read') && { to: paths.adminAudit, search: { action: 'session.*' } }}
      />
      <Figure
        label={texts.tokens}
        value={tokens.active}
        link={may('oauth_clients:read') && { to: paths.adminClients, search: {} }}
      />
      <Figure
        label={texts.certificates}
        value={certificates.issued}
        link={may('ssh:cert:list') && { to: paths.adminCertificates, search: {} }}
      />
      {lifecycle && (
        <Figure
          label={texts.pending}
          value={lifecycle.pending}
          note={lifecycle.failed > 0 ? texts.failed(lifecycle.failed) : undefined}
          link={{ to: paths.adminUsers, search: { status: 'scheduled' } }}
        />
      )}
    </SimpleGrid>
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
