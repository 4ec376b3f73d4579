import { Tabs } from '@mantine/core'
import { useMay } from '../session/me.ts'
import { useTexts } from '../texts/TextsProvider.tsx'
import { Icon } from '../ui/Icon.tsx'
import { PageHeader } from '../ui/PageHeader.tsx'
import { CertificatesPanel } from './CertificatesPanel.tsx'
import { HostsPanel } from './HostsPanel.tsx'
import { KeysPanel } from './KeysPanel.tsx'
import { MachinePanel } from './MachinePanel.tsx'

export function SshPage() {
  const texts = useTexts('ssh')
  const may = useMay()
  const certificates = may('ssh:cert:issue')
  const keys = may('ssh:keys:manage')
  return (
    <>
      <PageHeader title={texts.title} description={texts.description} />
      <Tabs defaultValue={certificates ? 'certificates' : 'keys'} keepMounted={false}>
        <Tabs.List mb="lg">
          {certificates && (
            <Tabs.Tab value="certificates" leftSection={<Icon name="certificate" size={16} />}>
              {texts.tabs.certificates}
            </Tabs.Tab>
          )}
          {keys && (
            <Tabs.Tab value="keys" leftSection={<Icon name="key" size={16} />}>
              {texts.tabs.keys}
            </Tabs.Tab>
          )}
          {certificates && keys && (
            <Tabs.Tab value="machine" leftSection={<Icon name="laptop" size={16} />}>
              {texts.tabs.machine}
            </Tabs.Tab>
          )}
          <Tabs.Tab value="hosts" leftSection={<Icon name="server" size={16} />}>
            {texts.tabs.hosts}
          </Tabs.Tab>
        </Tabs.List>
        {certificates && (
          <Tabs.Panel value="certificates">
            <CertificatesPanel />
          </Tabs.Panel>
        )}
        {keys && (
          <Tabs.Panel value="keys">
            <KeysPanel />
          </Tabs.Panel>
        )}
        {certificates && keys && (
          <Tabs.Panel value="machine">
            <MachinePanel />
          </Tabs.Panel>
        )}
        <Tabs.Panel value="hosts">
          <HostsPanel />
        </Tabs.Panel>
      </Tabs>
    </>
  )
}
