import { Alert, Checkbox, SimpleGrid, Stack, Tabs, Text, Textarea, TextInput } from '@mantine/core'
import { type ReactNode, useState } from 'react'
import type { Client } from '../../api/shapes.ts'
import { useTexts } from '../../texts/TextsProvider.tsx'
import { CodeBlock } from '../../ui/CodeBlock.tsx'
import { Icon } from '../../ui/Icon.tsx'
import { type PageTab, PageTabs } from '../../ui/PageTabs.tsx'
import { RelativeTime } from '../../ui/RelativeTime.tsx'
import { Section } from '../../ui/Section.tsx'
import { AccessForm } from '../clients/AccessForm.tsx'
import { LogoSection } from '../clients/AppearanceForm.tsx'
import { DeleteClientSection, TurnClientSection } from '../clients/ClientEndSections.tsx'
import { ClientForm, useClientForm } from '../clients/ClientForm.tsx'
import type { SiteTab } from '../clients/clients-query.ts'
import { DemandsForm } from '../clients/DemandsForm.tsx'
import { ProblemsSection } from '../clients/ProblemsSection.tsx'
import { PROXIES } from './proxies.ts'
import { RulesPanel } from './RulesPanel.tsx'
import { HEADER_FIELDS, headerNames, headersDraft, headersOf } from './site-headers.ts'

type Props = { site: Client; mayWrite: boolean }

/** The page of an application behind a proxy. It begins with what the proxy needs. */
export function SiteTabs({ site, mayWrite }: Props) {
  const texts = useTexts('sites').tabs
  const form = { application: site, mayWrite }
  const tab = (value: SiteTab, panel: ReactNode): PageTab<SiteTab> => ({ value, label: texts[value], panel })
  return (
    <PageTabs
      tabs={[
        tab('proxy', <ProxyPanel site={site} />),
        tab(
          'access',
          <>
            <AccessForm {...form} />
            <DemandsForm {...form} />
          </>,
        ),
        tab('rules', <RulesPanel site={site} mayWrite={mayWrite} />),
        tab(
          'site',
          <>
            <SiteForm site={site} mayWrite={mayWrite} />
            <LogoSection {...form} />
            <TurnClientSection {...form} />
            {mayWrite && <DeleteClientSection application={site} />}
          </>,
        ),
        tab('refusals', <SiteProblems site={site} />),
      ]}
    />
  )
}

/** What to paste into the configuration of the proxy. */
function ProxyPanel({ site }: { site: Client }) {
  const texts = useTexts('sites').proxy
  const [latchkey, setLatchkey] = useState('127.0.0.1:3000')
  const [application, setApplication] = useState('127.0.0.1:8080')
  const hosts = site.hosts ?? []
  const made = { hosts, headers: headerNames(site.headers ?? {}), basic: site.basic ?? false }
  return (
    <Section title={texts.title} description={texts.description}>
      <Stack>
        <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="md">
          <TextInput
            label={texts.latchkey}
            value={latchkey}
            onChange={(event) => setLatchkey(event.currentTarget.value)}
          />
          <TextInput
            label={texts.application}
            value={application}
            onChange={(event) => setApplication(event.currentTarget.value)}
          />
        </SimpleGrid>
        <Alert color="brass" variant="light" icon={<Icon name="alert" />}>
          {texts.warning}
        </Alert>
        <Tabs defaultValue="Caddy">
          <Tabs.List mb="sm">
            {/* Narrow on a phone, so that part of the last one shows that there is more. */}
            {Object.keys(PROXIES).map((name) => (
              <Tabs.Tab key={name} value={name} px={{ base: 'xs', sm: 'md' }}>
                {name}
              </Tabs.Tab>
            ))}
          </Tabs.List>
          {Object.entries(PROXIES).map(([name, proxy]) => (
            <Tabs.Panel key={name} value={name}>
              <Stack gap="sm">
                <CodeBlock
                  label={texts.file(name)}
                  value={proxy.configure(made, { latchkey: latchkey.trim(), application: application.trim() })}
                />
                {'script' in proxy && <CodeBlock label={texts.script(proxy.script.name)} value={proxy.script.text} />}
                {name === 'Traefik' && hosts.some((host) => host.includes(':')) && <Text size="sm">{texts.ports}</Text>}
              </Stack>
            </Tabs.Panel>
          ))}
        </Tabs>
      </Stack>
    </Section>
  )
}

type SiteFormProps = { site: Client; mayWrite: boolean }

/** The name and the hosts of a site, and what it is told. */
function SiteForm({ site, mayWrite }: SiteFormProps) {
  const texts = useTexts('sites')
  const form = useClientForm({
    clientId: site.client_id,
    mayWrite,
    initialValues: {
      name: site.name,
      hosts: (site.hosts ?? []).join('\n'),
      launchUrl: site.launchUrl ?? '',
      basic: site.basic ?? false,
      headers: headersDraft(site.headers ?? {}),
    },
    changes: ({ name, hosts, launchUrl, basic, headers }) => ({
      name: name.trim(),
      hosts: hosts.split(/\s+/).filter(Boolean),
      launchUrl: launchUrl.trim() || null,
      basic,
      headers: headersOf(headers),
    }),
  })
  return (
    <ClientForm title={texts.settings} form={form} mayWrite={mayWrite}>
      <TextInput label={texts.name} description={texts.nameHint} maxLength={100} {...form.getInputProps('name')} />
      <Textarea
        size="md"
        label={texts.hosts}
        description={texts.hostsHint}
        autosize
        minRows={1}
        {...form.getInputProps('hosts')}
      />
      <TextInput
        label={texts.launchUrl}
        description={texts.launchUrlHint}
        placeholder="https://wiki.example.com/"
        {...form.getInputProps('launchUrl')}
      />
      <Checkbox
        label={texts.basic}
        description={texts.basicHint}
        {...form.getInputProps('basic', { type: 'checkbox' })}
      />
      <Stack gap="xs" component="fieldset" bd={0} p={0} m={0}>
        <Text component="legend" fw={600} p={0}>
          {texts.headers}
        </Text>
        <Text size="sm" c="dimmed">
          {texts.headersHint}
        </Text>
        <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="sm">
          {HEADER_FIELDS.map((name) => (
            <TextInput key={name} label={texts.headerLabels[name]} {...form.getInputProps(`headers.${name}`)} />
          ))}
        </SimpleGrid>
      </Stack>
    </ClientForm>
  )
}

/** Requests that the site did not let through. */
function SiteProblems({ site }: { site: Client }) {
  const texts = useTexts('sites').refusals
  return (
    <ProblemsSection
      application={site}
      texts={texts}
      explain={({ at, details }) => ({
        meta: (
          <>
            {details.sent !== null && <code>{details.sent}</code>}
            <div>
              <RelativeTime at={at} />
            </div>
          </>
        ),
      })}
    />
  )
}
