import { readTab } from '../../lib/read-tab.ts'

const CLIENT_TABS = ['connect', 'access', 'claims', 'signIn', 'appearance', 'diagnosis', 'try'] as const
export type ClientTab = (typeof CLIENT_TABS)[number]

/** Of an application behind a proxy, whose page has the same address. */
const SITE_TABS = ['proxy', 'access', 'rules', 'site', 'refusals'] as const
export type SiteTab = (typeof SITE_TABS)[number]

export const readClientSearch = readTab([...CLIENT_TABS, ...SITE_TABS])

/** What was searched for, so that a link or a reload leads to it. */
export const readClientsSearch = ({ q }: Record<string, unknown>): { q?: string } =>
  (typeof q === 'string' && q !== '') || typeof q === 'number' ? { q: String(q) } : {}

/** Which entry of the catalogue was chosen. */
export const readNewClientSearch = ({ entry }: Record<string, unknown>): { entry?: string } =>
  typeof entry === 'string' ? { entry } : {}
