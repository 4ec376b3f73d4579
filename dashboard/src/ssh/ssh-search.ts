import { readTab } from '../lib/read-tab.ts'

const SSH_TABS = ['certificates', 'keys', 'machine', 'hosts'] as const
export type SshTab = (typeof SSH_TABS)[number]

export const readSshSearch = readTab(SSH_TABS)
