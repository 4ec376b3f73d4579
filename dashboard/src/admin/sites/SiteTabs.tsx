import type { ReactNode } from 'react'
import type { Client } from '../../api/shapes.ts'
import { useTexts } from '../../texts/TextsProvider.tsx'
import { type PageTab, PageTabs } from '../../ui/PageTabs.tsx'
import { AccessForm } from '../clients/AccessForm.tsx'
import type { SiteTab } from '../clients/client-search.ts'
import { DeleteClientSection } from '../clients/DeleteClientSection.tsx'
import { LogoSection } from '../clients/LogoSection.tsx'
import { TurnClientSection } from '../clients/TurnClientSection.tsx'
import { ProxyPanel } from './ProxyPanel.tsx'
import { RulesPanel } from './RulesPanel.tsx'
import { SiteForm } from './SiteForm.tsx'
import { SiteRefusals } from './SiteRefusals.tsx'

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
        tab('access', <AccessForm {...form} />),
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
        tab('refusals', <SiteRefusals site={site} />),
      ]}
    />
  )
}
