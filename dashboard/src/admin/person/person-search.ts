import { readTab } from '../../lib/read-tab.ts'

const PERSON_TABS = ['overview', 'access', 'devices', 'applications', 'ssh', 'activity'] as const
export type PersonTab = (typeof PERSON_TABS)[number]

export const readPersonSearch = readTab(PERSON_TABS)
