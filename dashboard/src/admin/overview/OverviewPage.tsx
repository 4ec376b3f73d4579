import { Box, Loader, Paper, SimpleGrid, Skeleton, Stack, Text } from '@mantine/core'
import { queryOptions, useQuery } from '@tanstack/react-query'
import { Link, type LinkProps } from '@tanstack/react-router'
import { answer, api } from '../../api/client.ts'
import type { Overview } from '../../api/shapes.ts'
import { useDuration } from '../../lib/use-duration.ts'
import { useFormat } from '../../lib/use-format.ts'
import { paths } from '../../paths.ts'
import { useMay } from '../../session/me.ts'
import { useTexts } from '../../texts/TextsProvider.tsx'
import { BarChart } from '../../ui/BarChart.tsx'
import { PageHeader } from '../../ui/PageHeader.tsx'
import { QueryView } from '../../ui/QueryView.tsx'
import { Section } from '../../ui/Section.tsx'
import { AttentionSection, PendingActions, SetupChecklist } from './ToDoSections.tsx'
import classes from './Figure.module.css'

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
            <AttentionSection attention={overview.attention} failing={overview.failing} />
            <SetupChecklist setup={overview.setup} isNew={isNew(overview)} />
            <Figures overview={overview} />
            <TimeToNothingLeft times={overview.timeToNothingLeft} />
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

/** How long it took, after people were disabled, until everybody who relies on this service had said that nothing is left. */
function TimeToNothingLeft({ times }: { times: Overview['timeToNothingLeft'] }) {
  const texts = useTexts('admin').overview.nothingLeft
  const duration = useDuration()
  if (times === null) return null
  return (
    <Box mb="lg">
      <Section title={texts.title} description={texts.description}>
        <Text>{texts.times(duration(times.p50 * 1000), duration(times.p99 * 1000))}</Text>
      </Section>
    </Box>
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

type FigureProps = {
  label: string
  /** Null while it is counted. */
  value: number | null
  note?: string | undefined
  /** Where what is counted is listed. False for those who may not see it. */
  link: Pick<LinkProps, 'to' | 'search'> | false
}

/** One number. As a whole it is the link to what it counts. */
export function Figure({ label, value, note, link }: FigureProps) {
  const format = useFormat()
  const { loading } = useTexts('shared')
  const content = (
    <>
      <Text size="sm" c="dimmed">
        {label}
      </Text>
      <Text fz={28} fw={620} lh={1.3}>
        {value === null ? <Loader size="sm" type="dots" aria-label={loading} role="status" /> : format.number(value)}
      </Text>
      {note && (
        <Text size="xs" c="dimmed">
          {note}
        </Text>
      )}
    </>
  )
  return (
    <Paper withBorder className={classes.figure}>
      {link ? (
        <Link {...link} className={classes.link}>
          {content}
        </Link>
      ) : (
        <div className={classes.content}>{content}</div>
      )}
    </Paper>
  )
}

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
