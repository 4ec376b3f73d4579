import type { LifecycleAction, Overview, Settings, ToldKind } from '../../../api/shapes.ts'
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
  failing: {
    since: (when: string) => `Takes nothing since ${when}`,
    status: (status: number) => `It answers ${status}`,
    kinds: {
      application: 'Logout tokens fail',
      webhook: 'Webhook fails',
      signals: 'Shared signals fail',
      host: 'Host is behind',
    } satisfies Record<ToldKind, string>,
  },
  nothingLeft: {
    title: 'Until nothing is left',
    description:
      'From the disable of an account until the last application, webhook and host has acknowledged it, in the last 30 days.',
    times: (half: string, most: string) => `In half of all cases at most ${half}, in 99 of 100 at most ${most}.`,
  },
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

export const settings = {
  title: 'Settings',
  description: 'What holds for this installation. Changes are in force at once.',
  fixed: (variable: string) => `Set by ${variable} in the environment of the service, so it can’t be changed here.`,
  installation: 'Name and colour',
  installationText: 'How people recognise this service when they sign in, and in its mails.',
  name: 'Name',
  nameHint: 'People see it when they sign in, in mails and in their list of passkeys.',
  accentColor: 'Accent colour',
  accentColorHint: 'Of buttons and links. Empty: the colour of the product.',
  noColour: 'Write a colour as # and six digits, such as #15675c.',
  tooLight: 'White text on this colour is hard to read. Choose a darker one.',
  sample: 'White text',
  contrast: (ratio: string, needed: number) => `Contrast with white: ${ratio} to 1. At least ${needed} to 1 is needed.`,
  logo: 'Logo',
  logoHint: 'Shown when people sign in.',
  registration: 'New accounts',
  registrationText: 'Who gets an account here.',
  who: 'Registration',
  registrations: {
    open: { title: 'Open', text: 'Everybody can create an account.' },
    invite: { title: 'By invitation', text: 'Administrators invite people.' },
  } satisfies Record<Settings['registration'], { title: string; text: string }>,
  domains: 'Allowed email domains',
  domainsHint:
    'Empty: every address. Otherwise people register only with these, and confirm their address before they can use applications. Invitations go to every address.',
  freshSignIn: 'Fresh sign-in',
  freshSignInText:
    'Whether a session that was left open is enough to give access or to take over an account: roles with permissions, passkeys, passwords, keys, secrets, these settings. Ending access never needs more than a session.',
  freshSignInLabel: 'Ask again who somebody is, unless they have signed in within ten minutes',
  mail: 'Mail',
  mailText: (email: string) => `Try whether mail leaves this service. It goes to ${email}.`,
  mailSubmit: 'Send me a mail',
  mailSent: 'The mail was accepted.',
  mailFailed: 'The mail was not accepted.',
  mailAnswer: 'The mail server said:',
}
