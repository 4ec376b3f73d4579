import type { ReactNode } from 'react'
import { useMay } from '../session/me.ts'
import { useTexts } from '../texts/TextsProvider.tsx'
import type { IconName } from '../ui/Icon.tsx'
import { PageHeader } from '../ui/PageHeader.tsx'
import { type PageTab, PageTabs } from '../ui/PageTabs.tsx'
import { CertificatesPanel } from './CertificatesPanel.tsx'
import { KeysPanel } from './KeysPanel.tsx'
import { OwnSshSessions } from './OwnSshSessions.tsx'
import { HostsPanel, MachinePanel } from './SetUpPanels.tsx'
import type { SshTab } from './ssh-queries.ts'

export function SshPage() {
  const texts = useTexts('ssh')
  const may = useMay()
  const certificates = may('ssh:cert:issue')
  const keys = may('ssh:keys:manage')
  const tab = (value: SshTab, icon: IconName, panel: ReactNode): PageTab<SshTab> => ({
    value,
    label: texts.tabs[value],
    icon,
    panel,
  })
  return (
    <>
      <PageHeader title={texts.title} description={texts.description} />
      <PageTabs
        tabs={[
          ...(certificates ? [tab('certificates', 'certificate', <CertificatesPanel />)] : []),
          ...(keys ? [tab('keys', 'key', <KeysPanel />)] : []),
          tab('sessions', 'terminal', <OwnSshSessions />),
          ...(certificates && keys ? [tab('machine', 'laptop', <MachinePanel />)] : []),
          tab('hosts', 'server', <HostsPanel />),
        ]}
      />
    </>
  )
}
