import { Badge, Group } from '@mantine/core'
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { User, UserDetails } from '../../api/shapes.ts'
import { paths } from '../../paths.ts'
import { useMay } from '../../session/me.ts'
import { useTexts } from '../../texts/TextsProvider.tsx'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { BackArrow, ApplicationLink, LinkButton, TextLink } from '../../ui/links.tsx'
import { MoreButton } from '../../ui/PagedList.tsx'
import { type PageTab, PageTabs } from '../../ui/PageTabs.tsx'
import { QueryView } from '../../ui/QueryView.tsx'
import { RelativeTime } from '../../ui/RelativeTime.tsx'
import { Row, Rows } from '../../ui/Rows.tsx'
import { Section } from '../../ui/Section.tsx'
import { auditQuery } from '../audit/audit-search.ts'
import { AuditTable } from '../audit/AuditTable.tsx'
import { accessQuery, userQuery, type PersonTab } from '../users/user-queries.ts'
import { AccessPanel } from './AccessPanel.tsx'
import { DevicesPanel } from './DevicesPanel.tsx'
import { PersonHeader } from './PersonHeader.tsx'
import { PersonOverviewPanel } from './PersonOverviewPanel.tsx'
import { SshPanel } from './SshPanel.tsx'

export function PersonPage() {
  const texts = useTexts('admin').users
  const { userId } = useParams({ from: paths.adminUser })
  const query = useQuery(userQuery(userId))
  return (
    <>
      <TextLink to={paths.adminUsers} size="sm">
        <BackArrow /> {texts.back}
      </TextLink>
      <QueryView query={query}>
        {(details) => (
          <>
            <PersonHeader details={details} />
            <PersonTabs key={userId} details={details} />
          </>
        )}
      </QueryView>
    </>
  )
}

/** A tab that the caller may not see anything of is left out. */
function PersonTabs({ details }: { details: UserDetails }) {
  const texts = useTexts('people').tabs
  const may = useMay()
  const { user } = details
  const tab = (value: PersonTab, panel: ReactNode): PageTab<PersonTab> => ({ value, label: texts[value], panel })
  const tabs = [
    tab('overview', <PersonOverviewPanel details={details} />),
    tab('access', <AccessPanel details={details} />),
    tab('devices', <DevicesPanel details={details} />),
    tab('applications', <GrantsPanel user={user} />),
  ]
  if (may('ssh:cert:list')) tabs.push(tab('ssh', <SshPanel user={user} />))
  if (may('audit:read')) tabs.push(tab('activity', <ActivityPanel user={user} />))
  return <PageTabs tabs={tabs} />
}

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

/** The part of the audit trail that is about this person. */
export function ActivityPanel({ user }: { user: User }) {
  const texts = useTexts('people').activity
  const audit = useTexts('admin').audit
  const query = useInfiniteQuery(auditQuery({ about: user.id }))
  return (
    <>
      <Section
        title={texts.title}
        description={texts.description}
        flush
        actions={
          <LinkButton size="sm" variant="default" to={paths.adminAudit} search={{ about: user.id }}>
            {texts.all}
          </LinkButton>
        }
      >
        <QueryView
          query={query}
          isEmpty={({ pages }) => pages.every(({ events }) => events.length === 0)}
          empty={
            <EmptyState icon="list" title={audit.emptyTitle}>
              {audit.empty}
            </EmptyState>
          }
        >
          {({ pages }) => <AuditTable events={pages.flatMap(({ events }) => events)} />}
        </QueryView>
      </Section>
      <MoreButton query={query} />
    </>
  )
}
