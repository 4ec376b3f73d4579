export const PERSON_TABS = ['overview', 'access', 'devices', 'applications', 'ssh', 'activity'] as const
export type PersonTab = (typeof PERSON_TABS)[number]

export const isPersonTab = (value: unknown): value is PersonTab => PERSON_TABS.some((tab) => tab === value)

/** The tab is part of the address, so that a link or a reload leads to it. */
export const readPersonSearch = ({ tab }: Record<string, unknown>): { tab?: PersonTab } =>
  isPersonTab(tab) ? { tab } : {}
