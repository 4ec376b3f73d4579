import type { LifecycleAction, Overview } from '../../../api/shapes.ts'
import { plural } from '../../plural.ts'

export const overview = {
  title: 'Overview',
  description: 'How the service is doing.',
  users: 'Active users',
  usersNote: (disabled: number, administrators: number) => `${disabled} disabled, ${administrators} administering`,
  sessions: 'Active sessions',
  tokens: 'Live access tokens',
  certificates: 'SSH certificates',
  pending: 'Pending actions',
  failed: (count: number) => `${count} failed`,
  days: 'The last 30 days',
  attention: 'Needs attention',
  delayedMail: (count: number) =>
    plural('en', count, { one: '# mail waits for the mail server', other: '# mails wait for the mail server' }),
  delayedMailText: 'It is tried again until the link in it expires.',
  failedJob: (name: string) => `The background work ${name} fails`,
  failedJobText: 'It is tried again. The log of the service says why.',
  failedMail: (recipient: string) => `Mail to ${recipient} was not delivered`,
  failedAction: { disable: 'was not disabled as planned', enable: 'was not enabled as planned' } satisfies Record<
    LifecycleAction['action'],
    string
  >,
  checklist: {
    title: 'Set up this installation',
    description: 'What a new installation needs. Figures appear here as people use it.',
    progress: (done: number, total: number) => `${done} of ${total} done`,
    hide: 'Hide this list',
    show: 'Show what is left to set up',
    isDone: 'Done',
    isOpen: 'To do',
    items: {
      https: {
        title: 'Serve it over https',
        text: 'Set BASE_URL to an https address. Browsers allow passkeys only there.',
      },
      mail: {
        title: 'Connect a mail server',
        text: 'Set SMTP_URL, then try it. Until then mails stay in the outbox folder.',
      },
      secondAdministrator: {
        title: 'Make somebody else an administrator',
        text: 'So that a lost device locks nobody out.',
      },
      application: { title: 'Connect the first application', text: 'People sign in to it with their account here.' },
      host: { title: 'Add the first host', text: 'For SSH with certificates. Skip it if you do not use SSH.' },
      backup: { title: 'Make a backup', text: 'Run latchkey backup, and plan to run it every day.' },
    } satisfies Record<keyof Overview['setup'], { title: string; text: string }>,
    open: 'Open',
  },
  signIns: 'Sign-ins a day',
  lastDays: 'The last 30 days, in UTC.',
  passkey: 'Passkey',
  password: 'Password',
  refused: 'Refused',
  issued: 'SSH certificates a day',
  tokensIssued: 'Access tokens a day',
  accessTokens: 'Access tokens',
  next: 'What happens next',
  nothingPending: 'Nothing is scheduled',
}
