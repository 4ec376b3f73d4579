import { Tabs } from '@mantine/core'
import { type ReactNode, useState } from 'react'
import type { Client } from '../../api/shapes.ts'
import { useTexts } from '../../texts/TextsProvider.tsx'
import { AccessForm } from '../clients/AccessForm.tsx'
import { DeleteClientSection } from '../clients/DeleteClientSection.tsx'
import { ProxyPanel } from './ProxyPanel.tsx'
import { RulesPanel } from './RulesPanel.tsx'
import { SiteForm } from './SiteForm.tsx'
import { SiteRefusals } from './SiteRefusals.tsx'

const TABS = ['proxy', 'access', 'rules', 'site', 'refusals'] as const
type Tab = (typeof TABS)[number]

type Props = { site: Client; mayWrite: boolean }

/** The page of an application behind a proxy. It begins with what the proxy needs. */
export function SiteTabs({ site, mayWrite }: Props) {
  const texts = useTexts('sites').tabs
  const [tab, setTab] = useState<Tab>('proxy')
  const panels: Record<Tab, ReactNode> = {
    proxy: <ProxyPanel site={site} />,
    access: <AccessForm application={site} mayWrite={mayWrite} />,
    rules: <RulesPanel site={site} mayWrite={mayWrite} />,
    site: (
      <>
        <SiteForm site={site} mayWrite={mayWrite} />
        {mayWrite && <DeleteClientSection application={site} />}
      </>
    ),
    refusals: <SiteRefusals site={site} />,
  }
  return (
    <Tabs value={tab} keepMounted={false} onChange={(next) => setTab(TABS.find((each) => each === next) ?? 'proxy')}>
      <Tabs.List mb="lg">
        {TABS.map((value) => (
          <Tabs.Tab key={value} value={value}>
            {texts[value]}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      {TABS.map((value) => (
        <Tabs.Panel key={value} value={value}>
          {panels[value]}
        </Tabs.Panel>
      ))}
    </Tabs>
  )
}
