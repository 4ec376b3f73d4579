import { Alert, SimpleGrid, Stack, Tabs, Text, TextInput } from '@mantine/core'
import { useState } from 'react'
import type { Client } from '../../api/shapes.ts'
import { useTexts } from '../../texts/TextsProvider.tsx'
import { CodeBlock } from '../../ui/CodeBlock.tsx'
import { Icon } from '../../ui/Icon.tsx'
import { Section } from '../../ui/Section.tsx'
import { PROXIES } from './proxies.ts'
import { headerNames } from './site-headers.ts'

/** What to paste into the configuration of the proxy. */
export function ProxyPanel({ site }: { site: Client }) {
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
