import { Badge, Group, Tabs } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { type ReactNode, useEffect, useRef } from 'react'
import type { Client } from '../../api/shapes.ts'
import { paths } from '../../paths.ts'
import { useMay } from '../../session/me.ts'
import { useTexts } from '../../texts/TextsProvider.tsx'
import { TextLink } from '../../ui/LinkButton.tsx'
import { PageHeader } from '../../ui/PageHeader.tsx'
import { QueryView } from '../../ui/QueryView.tsx'
import { Section } from '../../ui/Section.tsx'
import { AccessForm } from './AccessForm.tsx'
import { AppearanceForm } from './AppearanceForm.tsx'
import { BuiltInClientSection } from './BuiltInClientSection.tsx'
import { ClaimsForm } from './ClaimsForm.tsx'
import { kindOf } from './client-kind.ts'
import { isClientTab, type ClientTab } from './client-search.ts'
import { clientQuery } from './clients-query.ts'
import { ClientSettings } from './ClientSettings.tsx'
import { DeleteClientSection } from './DeleteClientSection.tsx'
import { DiagnosisPanel } from './DiagnosisPanel.tsx'
import { PkceBadge } from './PkceBadge.tsx'
import { RotateSecretButton } from './RotateSecretButton.tsx'
import { SignInForm } from './SignInForm.tsx'
import { TryPanel } from './TryPanel.tsx'

export function ClientPage() {
  const texts = useTexts('admin').clients
  const mayWrite = useMay()('oauth_clients:write')
  const { clientId } = useParams({ from: paths.adminClient })
  const query = useQuery(clientQuery(clientId))
  return (
    <>
      <TextLink to={paths.adminClients} size="sm">
        ← {texts.back}
      </TextLink>
      <QueryView query={query}>
        {({ client: application }) =>
          application.builtIn ? (
            <>
              <PageHeader title={application.name} description={application.client_id} />
              <BuiltInClientSection application={application} mayWrite={mayWrite} />
            </>
          ) : (
            <>
              <PageHeader
                title={application.name}
                description={
                  <Group component="span" gap="xs">
                    <Badge
                      component="span"
                      variant="light"
                      color={application.clientType === 'public' ? 'gray' : 'pine'}
                    >
                      {texts.kinds[kindOf(application)]}
                    </Badge>
                    <PkceBadge application={application} />
                  </Group>
                }
              />
              <ClientTabs key={clientId} application={application} />
            </>
          )
        }
      </QueryView>
    </>
  )
}

function ClientTabs({ application }: { application: Client }) {
  const texts = useTexts('applications').tabs
  const may = useMay()
  const mayWrite = may('oauth_clients:write')
  const { tab } = useSearch({ from: paths.adminClient })
  const navigate = useNavigate({ from: paths.adminClient })
  const list = useRef<HTMLDivElement>(null)
  useEffect(() => {
    // On a phone a link may lead to a tab that is outside of the visible part of the list.
    list.current?.querySelector('[aria-selected=true]')?.scrollIntoView({ inline: 'center', block: 'nearest' })
  }, [tab])
  const form = { application, mayWrite }
  const panels: { value: ClientTab; panel: ReactNode }[] = [
    { value: 'connect', panel: <ConnectPanel {...form} /> },
    { value: 'access', panel: <AccessForm {...form} /> },
    { value: 'claims', panel: <ClaimsForm {...form} /> },
    { value: 'signIn', panel: <SignInForm {...form} /> },
    { value: 'appearance', panel: <AppearanceForm {...form} /> },
    { value: 'diagnosis', panel: <DiagnosisPanel {...form} /> },
  ]
  if (may('users:read')) panels.push({ value: 'try', panel: <TryPanel application={application} /> })
  return (
    <Tabs
      value={panels.some(({ value }) => value === tab) ? (tab ?? 'connect') : 'connect'}
      keepMounted={false}
      onChange={(next) =>
        isClientTab(next) && void navigate({ search: { tab: next }, replace: true, resetScroll: false })
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

/** What the application needs to know of this service, and the end of it. */
function ConnectPanel({ application, mayWrite }: { application: Client; mayWrite: boolean }) {
  const texts = useTexts('admin').clients
  const isPublic = application.clientType === 'public'
  return (
    <>
      <Section
        title={texts.settings}
        actions={mayWrite && !isPublic && <RotateSecretButton application={application} />}
      >
        <ClientSettings clientId={application.client_id} isPublic={isPublic} />
      </Section>
      {mayWrite && <DeleteClientSection application={application} />}
    </>
  )
}
