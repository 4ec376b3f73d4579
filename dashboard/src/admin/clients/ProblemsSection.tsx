import { Badge, Text } from '@mantine/core'
import { queryOptions, useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { answer, api } from '../../api/client.ts'
import type { Client, SignInProblem, ProblemOfClient } from '../../api/shapes.ts'
import { paths } from '../../paths.ts'
import { useTexts } from '../../texts/TextsProvider.tsx'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { TextLink } from '../../ui/links.tsx'
import { QueryView } from '../../ui/QueryView.tsx'
import { RelativeTime } from '../../ui/RelativeTime.tsx'
import { Row, Rows } from '../../ui/Rows.tsx'
import { Section } from '../../ui/Section.tsx'
import { clientQuery, CLIENTS_KEY } from './clients-query.ts'
import { problemTitle } from './problem-case.ts'

const problemsQuery = (clientId: string) =>
  queryOptions({
    queryKey: [...clientQuery(clientId).queryKey, 'refusals'],
    queryFn: () => answer(api.GET('/oauth/clients/{clientId}/refusals', { params: { path: { clientId } } })),
    // Whoever looks here is usually trying the application in another window.
    refetchInterval: 5000,
  })

type Props = {
  application: Client
  texts: { title: string; description: string; emptyTitle: string; empty: string }
  explain: (problem: SignInProblem) => Explained
}

/** The refused requests of an application or a site, each explained. */
export function ProblemsSection({ application, texts, explain }: Props) {
  const query = useQuery(problemsQuery(application.client_id))
  return (
    <Section title={texts.title} description={texts.description} flush>
      <QueryView
        query={query}
        isEmpty={({ refusals }) => refusals.length === 0}
        empty={
          <EmptyState icon="check" title={texts.emptyTitle}>
            {texts.empty}
          </EmptyState>
        }
      >
        {({ refusals }) => <ProblemRows label={texts.title} problems={refusals} explain={explain} />}
      </QueryView>
    </Section>
  )
}

const allProblemsQuery = queryOptions({
  queryKey: [...CLIENTS_KEY, 'refusals'],
  queryFn: () => answer(api.GET('/oauth/clients/refusals')),
  // Whoever looks here is usually trying an application in another window.
  refetchInterval: 5000,
})

/** Refused requests of all applications, and of client ids that none has. Nothing is shown while there are none. */
export function AllProblemsSection() {
  const texts = useTexts('applications').diagnosis
  const { data } = useQuery(allProblemsQuery)
  if (!data || data.refusals.length === 0) return null
  return (
    <Section title={texts.title} description={texts.allDescription} flush>
      <ProblemRows
        label={texts.title}
        problems={data.refusals}
        explain={(problem) => ({
          ...(problem.known ? {} : { title: texts.unknownClient }),
          meta: <Explanation problem={problem} />,
        })}
      />
    </Section>
  )
}

function Explanation({ problem }: { problem: ProblemOfClient }) {
  const texts = useTexts('applications').diagnosis
  const { client_id: clientId, known, details, at, endpoint, error } = problem
  return (
    <>
      <Text size="sm" c="var(--mantine-color-text)">
        {known ? (
          <TextLink to={paths.adminClient} params={{ clientId }}>
            {clientId}
          </TextLink>
        ) : (
          <>
            <code>{clientId}</code> · {texts.unknownClientHint}
          </>
        )}
      </Text>
      {details.sent !== null && (
        <div>
          {texts.sent}: <code>{details.sent}</code>
        </div>
      )}
      <div>
        <RelativeTime at={at} /> · {endpoint} · {error}
      </div>
    </>
  )
}

/** What a row says below its title, beside it, or instead of it. */
export type Explained = { title?: string; meta: ReactNode; actions?: ReactNode }
type ProblemRowsProps<Each> = { label: string; problems: Each[]; explain: (problem: Each) => Explained }

/** Refused requests of applications and sites. The server counts equal ones, so they are one row. */
function ProblemRows<Each extends SignInProblem>({ label, problems, explain }: ProblemRowsProps<Each>) {
  const { cases: applications, times } = useTexts('applications').diagnosis
  const { cases: sites } = useTexts('sites').refusals
  const errors = useTexts('errors')
  return (
    <Rows label={label}>
      {problems.map((problem) => (
        <Row
          key={JSON.stringify({ ...problem, at: undefined, count: undefined })}
          icon="alert"
          title={problemTitle(problem, { applications, sites, errors })}
          badge={
            problem.count > 1 && (
              <Badge size="sm" variant="light" color="gray">
                {times(problem.count)}
              </Badge>
            )
          }
          {...explain(problem)}
        />
      ))}
    </Rows>
  )
}
