import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { UserDetails } from '../../api/shapes.ts'
import { paths } from '../../paths.ts'
import { useMay } from '../../session/me.ts'
import { useTexts } from '../../texts/TextsProvider.tsx'
import { TextLink } from '../../ui/LinkButton.tsx'
import { type PageTab, PageTabs } from '../../ui/PageTabs.tsx'
import { QueryView } from '../../ui/QueryView.tsx'
import { userQuery } from '../users/user-queries.ts'
import { AccessPanel } from './AccessPanel.tsx'
import { ActivityPanel } from './ActivityPanel.tsx'
import { DevicesPanel } from './DevicesPanel.tsx'
import { GrantsPanel } from './GrantsPanel.tsx'
import type { PersonTab } from './person-search.ts'
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
        ← {texts.back}
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
