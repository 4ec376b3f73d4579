import { Badge, Group } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { Client } from '../../api/shapes.ts'
import { paths } from '../../paths.ts'
import { useMay } from '../../session/me.ts'
import { useTexts } from '../../texts/TextsProvider.tsx'
import { BackArrow, TextLink } from '../../ui/links.tsx'
import { PageHeader } from '../../ui/PageHeader.tsx'
import { type PageTab, PageTabs } from '../../ui/PageTabs.tsx'
import { QueryView } from '../../ui/QueryView.tsx'
import { Section } from '../../ui/Section.tsx'
import { SiteTabs } from '../sites/SiteTabs.tsx'
import { AccessForm } from './AccessForm.tsx'
import { AppearanceForm } from './AppearanceForm.tsx'
import { ClaimsForm } from './ClaimsForm.tsx'
import { kindOf } from './client-kind.ts'
import { DeleteClientSection, TurnClientSection } from './ClientEndSections.tsx'
import { clientQuery, type ClientTab } from './clients-query.ts'
import { DemandsForm } from './DemandsForm.tsx'
import { DiagnosisPanel } from './DiagnosisPanel.tsx'
import { PkceBadge } from './Pkce.tsx'
import { ClientSettings, RotateSecretButton } from './SecretDialog.tsx'
import { SignalsForm, takesSignals } from './SignalsForm.tsx'
import { SignInForm } from './SignInForm.tsx'
import { SignOutForm } from './SignOutForm.tsx'
import { StreamSection } from './TellingSection.tsx'
import { TryPanel } from './TryPanel.tsx'

export function ClientPage() {
  const texts = useTexts('admin').clients
  const mayWrite = useMay()('oauth_clients:write')
  const { clientId } = useParams({ from: paths.adminClient })
  const query = useQuery(clientQuery(clientId))
  return (
    <>
      <TextLink to={paths.adminClients} size="sm">
        <BackArrow /> {texts.back}
      </TextLink>
      <QueryView query={query}>
        {({ client: application }) =>
          application.builtIn ? (
            <>
              <PageHeader title={application.name} description={application.client_id} />
              <TurnClientSection application={application} mayWrite={mayWrite} />
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
                    {application.disabled && (
                      <Badge component="span" variant="filled" color="red">
                        {texts.turnedOff}
                      </Badge>
                    )}
                    <PkceBadge application={application} />
                  </Group>
                }
              />
              {application.clientType === 'proxied' ? (
                <SiteTabs key={clientId} site={application} mayWrite={mayWrite} />
              ) : (
                <ClientTabs key={clientId} application={application} />
              )}
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
  const form = { application, mayWrite: may('oauth_clients:write') }
  const tab = (value: ClientTab, panel: ReactNode): PageTab<ClientTab> => ({ value, label: texts[value], panel })
  const tabs = [
    tab('connect', <ConnectPanel {...form} />),
    tab('access', <AccessForm {...form} />),
    tab('claims', <ClaimsForm {...form} />),
    tab(
      'signIn',
      <>
        <SignInForm {...form} />
        <DemandsForm {...form} />
      </>,
    ),
    tab(
      'signOut',
      <>
        <SignOutForm {...form} />
        {takesSignals(application) && <SignalsForm {...form} />}
        <StreamSection application={application} />
      </>,
    ),
    tab('appearance', <AppearanceForm {...form} />),
    tab('diagnosis', <DiagnosisPanel {...form} />),
  ]
  if (may('users:read')) tabs.push(tab('try', <TryPanel application={application} />))
  return <PageTabs tabs={tabs} />
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
      <TurnClientSection application={application} mayWrite={mayWrite} />
      {mayWrite && <DeleteClientSection application={application} />}
    </>
  )
}
