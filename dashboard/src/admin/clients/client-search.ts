const CLIENT_TABS = ['connect', 'access', 'claims', 'signIn', 'appearance', 'diagnosis', 'try'] as const
export type ClientTab = (typeof CLIENT_TABS)[number]

export const isClientTab = (value: unknown): value is ClientTab => CLIENT_TABS.some((tab) => tab === value)

/** The tab is part of the address, so that a link or a reload leads to it. */
export const readClientSearch = ({ tab }: Record<string, unknown>): { tab?: ClientTab } =>
  isClientTab(tab) ? { tab } : {}

/** What was searched for, so that a link or a reload leads to it. */
export const readClientsSearch = ({ q }: Record<string, unknown>): { q?: string } =>
  (typeof q === 'string' && q !== '') || typeof q === 'number' ? { q: String(q) } : {}

/** Which entry of the catalogue was chosen. */
export const readNewClientSearch = ({ entry }: Record<string, unknown>): { entry?: string } =>
  typeof entry === 'string' ? { entry } : {}
