import { Tabs } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { type ReactNode, useEffect, useRef } from 'react'
import type { UserDetails } from '../../api/shapes.ts'
import { paths } from '../../paths.ts'
import { useMay } from '../../session/me.ts'
import { useTexts } from '../../texts/TextsProvider.tsx'
import { TextLink } from '../../ui/LinkButton.tsx'
import { QueryView } from '../../ui/QueryView.tsx'
import { userQuery } from '../users/user-queries.ts'
import { AccessPanel } from './AccessPanel.tsx'
import { ActivityPanel } from './ActivityPanel.tsx'
import { DevicesPanel } from './DevicesPanel.tsx'
import { GrantsPanel } from './GrantsPanel.tsx'
import { isPersonTab, type PersonTab } from './person-search.ts'
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
  const { tab } = useSearch({ from: paths.adminUser })
  const navigate = useNavigate({ from: paths.adminUser })
  const list = useRef<HTMLDivElement>(null)
  useEffect(() => {
    // On a phone a link may lead to a tab that is outside of the visible part of the list.
    list.current?.querySelector('[aria-selected=true]')?.scrollIntoView({ inline: 'center', block: 'nearest' })
  }, [tab])
  const { user } = details
  const panels: { value: PersonTab; panel: ReactNode }[] = [
    { value: 'overview', panel: <PersonOverviewPanel details={details} /> },
    { value: 'access', panel: <AccessPanel details={details} /> },
    { value: 'devices', panel: <DevicesPanel details={details} /> },
    { value: 'applications', panel: <GrantsPanel user={user} /> },
  ]
  if (may('ssh:cert:list')) panels.push({ value: 'ssh', panel: <SshPanel user={user} /> })
  if (may('audit:read')) panels.push({ value: 'activity', panel: <ActivityPanel user={user} /> })
  const shown = panels.find(({ value }) => value === tab)?.value ?? 'overview'
  return (
    <Tabs
      value={shown}
      keepMounted={false}
      onChange={(next) =>
        isPersonTab(next) && void navigate({ search: { tab: next }, replace: true, resetScroll: false })
      }
    >
      <Tabs.List mb="lg" ref={list}>
        {panels.map(({ value }) => (
          <Tabs.Tab key={value} value={value}>
            {texts[value]}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      {panels.map(({ value, panel }) => (
        <Tabs.Panel key={value} value={value}>
          {panel}
        </Tabs.Panel>
      ))}
    </Tabs>
  )
}
