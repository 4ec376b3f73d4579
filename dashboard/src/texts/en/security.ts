import { plural } from '../plural.ts'

export const security = {
  title: 'Security',
  description: 'How you sign in, what is missing, and your last sign-ins.',
  goodTitle: 'Nothing is missing',
  good: 'You sign in with a passkey, which nobody can phish or guess.',
  goodSecondStep: 'A sign-in with your password asks for a code of your app. A passkey would be quicker.',
  missingTitle: 'What is missing',
  passwordOnly: 'Who knows or guesses your password can sign in as you. Add a passkey, or an authenticator app.',
  nothing: 'You have neither a passkey nor a password. Add a passkey, or set a password.',
  onePasskey:
    'You have a single passkey and no password: if its device is lost, you get back in only by a link that is mailed to you.',
  fewCodes: (left: number) =>
    plural('en', left, {
      one: '# recovery code is left. Make new ones.',
      other: '# recovery codes are left. Make new ones.',
    }),
  unconfirmed: 'Your email address is not confirmed, so you are not mailed when something happens to your account.',
  ways: 'How you sign in',
  manage: (what: string) => `Manage: ${what}`,
  manageShort: 'Manage',
  passkeys: (count: number) => plural('en', count, { one: '# passkey', other: '# passkeys' }),
  noPasskey: 'None yet',
  hasPassword: 'Set',
  noPassword: 'None: you sign in without one',
  app: 'Authenticator app',
  appOn: (left: number) =>
    plural('en', left, { one: 'On, with # recovery code left', other: 'On, with # recovery codes left' }),
  appOff: 'Off',
  appNeedsPassword: 'Off: it is for sign-ins with a password',
  demandNow: {
    second_step: 'A role of yours demands a second step or a passkey.',
    passkey: 'A role of yours demands a passkey that verifies you.',
  },
  demandNext: {
    second_step: (date: string) => `From ${date} a role of yours demands a second step or a passkey.`,
    passkey: (date: string) => `From ${date} a role of yours demands a passkey that verifies you.`,
  },
  signIns: 'Last sign-ins',
  signInsHint:
    'Tries that were refused are listed too. If one is not yours, change your password and end that session.',
  noSignIns: 'None are recorded any more.',
  refused: 'Refused',
  methods: { password: 'Password', passkey: 'Passkey' },
  toSessions: 'Your sessions',
}
