import type { LifecycleAction } from '../../../api/shapes.ts'
import { plural } from '../../plural.ts'

export const lifecycle = {
  activeText: 'This account is active.',
  disabledText: 'This account is disabled since',
  disable: 'Disable',
  enable: 'Enable',
  disableTitle: (name: string) => `Disable ${name}?`,
  enableTitle: (name: string) => `Enable ${name}?`,
  cut: 'What ends at once:',
  cutLater: 'What would end, counted now:',
  nothingEnds: 'Nothing: no session, application or certificate is in use.',
  sessions: (count: number) => plural('en', count, { one: '# session', other: '# sessions' }),
  tokens: (count: number) =>
    plural('en', count, { one: 'The access of # application', other: 'The access of # applications' }),
  certificates: (count: number) =>
    plural('en', count, { one: '# valid SSH certificate', other: '# valid SSH certificates' }),
  kept: 'Nothing is deleted, and the account can be enabled again.',
  enableText: 'The person can sign in again. Sessions, tokens and certificates that ended stay ended.',
  reason: 'Reason',
  reasonHint: 'For the administrators. The person never sees it.',
  when: 'When',
  now: 'Now',
  later: 'At a set time',
  at: 'Date and time',
  atHint: 'In your own time zone.',
  past: 'Choose a time in the future.',
  schedule: 'Schedule',
  actions: 'Scheduled and past actions',
  action: { disable: 'Disable', enable: 'Enable' } satisfies Record<LifecycleAction['action'], string>,
  statuses: {
    pending: 'Pending',
    running: 'Running',
    completed: 'Completed',
    cancelled: 'Cancelled',
    failed: 'Failed',
  } satisfies Record<LifecycleAction['status'], string>,
  noActions: 'Nothing has been scheduled for this account.',
}
