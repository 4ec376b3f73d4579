import type { SecurityEventType } from '../../vocabulary/notification-types.ts'

/** What a mail with a link says. */
export interface LinkTexts {
  subject: string
  message: string
  button: string
  ifUnexpected: string
}

/** What a mail says of something that happened to the security of an account. */
export interface SecurityTexts {
  subject: string
  message: string
}

type SecurityMessage = (service: string, account: string, name: string) => SecurityTexts
type SecurityMessages = Record<SecurityEventType, SecurityMessage>

/** `name` is in quotation marks and begins with a space, or is empty. */
const security: SecurityMessages = {
  'security.new_login': (service, account) => ({
    subject: `A sign-in to your account at ${service}`,
    message: `Somebody signed in to your account ${account} from a browser or a place that is new for it.`,
  }),
  'security.password_changed': (service, account) => ({
    subject: `The password of your account at ${service} was changed`,
    message: `The password of your account ${account} was changed.`,
  }),
  'security.password_reset_sent': (service, account) => ({
    subject: `A new password for your account at ${service}`,
    message: `A link to set a new password for your account ${account} was sent.`,
  }),
  'security.email_changed': (service, account) => ({
    subject: `The email of your account at ${service} was changed`,
    message: `Your account had the address ${account}, and has another one now.`,
  }),
  'security.passkey_added': (service, account, name) => ({
    subject: `A passkey was added to your account at ${service}`,
    message: `The passkey${name} was added to your account ${account}. Whoever has it can sign in.`,
  }),
  'security.passkey_removed': (service, account, name) => ({
    subject: `A passkey was removed from your account at ${service}`,
    message: `The passkey${name} was removed from your account ${account}.`,
  }),
  'security.totp_added': (service, account) => ({
    subject: `An authenticator app was added to your account at ${service}`,
    message: `From now on your account ${account} asks for a code of an authenticator app when somebody signs in with the password.`,
  }),
  'security.totp_removed': (service, account) => ({
    subject: `The authenticator app was removed from your account at ${service}`,
    message: `Your account ${account} asks for no code of an authenticator app any more. Its recovery codes are gone too.`,
  }),
  'security.recovery_code_used': (service, account) => ({
    subject: `A recovery code of your account at ${service} was used`,
    message: `Somebody who knows the password used a recovery code of your account ${account} in place of the authenticator app. Your account page says how many are left.`,
  }),
  'security.ssh_key_added': (service, account, name) => ({
    subject: `An SSH key was added to your account at ${service}`,
    message: `The SSH key${name} was added to your account ${account}. Whoever has it can get certificates for it.`,
  }),
  'security.app_password_added': (service, account, name) => ({
    subject: `An app password was made for your account at ${service}`,
    message: `The app password${name} was made for your account ${account}.`,
  }),
  'security.app_password_removed': (service, account, name) => ({
    subject: `An app password of your account at ${service} was ended`,
    message: `The app password${name} of your account ${account} was ended.`,
  }),
  'security.session_ended': (service, account) => ({
    subject: `A session of your account at ${service} was ended`,
    message: `One session of your account ${account} was ended.`,
  }),
  'security.signed_out': (service, account) => ({
    subject: `You were signed out at ${service}`,
    message: `All sessions of your account ${account} were ended.`,
  }),
}

/** The English texts, which are the type of those in other languages. */
/** Instead of that of `security.passkey_added`, where the person was not asked. */
const conditionalPasskey: SecurityMessage = (service, account, name) => ({
  subject: `A passkey was added to your account at ${service}`,
  message: `After a sign-in with the password, the browser made the passkey${name} for your account ${account} by itself. It is kept with your passwords, and whoever has it can sign in.`,
})

export const en = {
  security,
  conditionalPasskey,
  securityFacts: { when: 'When', where: 'Where', device: 'Device', by: 'By', administrator: 'an administrator' },
  notMe: {
    button: 'This was not me',
    ifUnexpected:
      'If it was not you, say so within seven days: the link shows what will be ended before anything happens. If it was you, there is nothing to do.',
  },
  reset: (service: string, to: string): LinkTexts => ({
    subject: `Set a new password for ${service}`,
    message: `Somebody asked for a new password for your account ${to}. If it was you, set one here within an hour:`,
    button: 'Set a new password',
    ifUnexpected: 'If it was not you, ignore this mail: nothing has changed.',
  }),
  resetByAdministrator: (service: string, to: string): LinkTexts => ({
    subject: `Set a new password for ${service}`,
    message: `An administrator sent you this link to set a new password for your account ${to}, within an hour:`,
    button: 'Set a new password',
    ifUnexpected: 'Your password stays as it is until you set a new one.',
  }),
  resetAfterUndoing: (service: string, to: string): LinkTexts => ({
    subject: `Set a new password for ${service}`,
    message: `Everybody was signed out of your account ${to}, because somebody else had used it. Set a new password here within an hour:`,
    button: 'Set a new password',
    ifUnexpected: 'After that hour, ask for another link on the sign-in page, under “Forgot your password?”.',
  }),
  invitation: (service: string, invitedBy: string): LinkTexts => ({
    subject: `Your invitation to ${service}`,
    message: `${invitedBy} invites you to ${service}. Set up your account to start using it, within seven days:`,
    button: 'Accept the invitation',
    ifUnexpected: 'If you did not expect this, ignore this mail.',
  }),
  setUp: (service: string, to: string): LinkTexts => ({
    subject: `Set up a stronger sign-in for ${service}`,
    message: `A role of your account ${to} demands a passkey or a second step. Sign in, and set it up here within a day:`,
    button: 'Set it up',
    ifUnexpected: 'If you did not expect this, ask who runs the service. The link alone lets nobody in.',
  }),
  verification: (service: string, to: string): LinkTexts => ({
    subject: `Confirm your email for ${service}`,
    message: `Confirm that ${to} is your address, within a day:`,
    button: 'Confirm this address',
    ifUnexpected: 'If you have no account here, ignore this mail.',
  }),
  emailChange: (service: string, to: string): LinkTexts => ({
    subject: `Confirm your new email for ${service}`,
    message: `Confirm that ${to} is the new address of your account, within a day:`,
    button: 'Confirm the new address',
    ifUnexpected: 'If you have no account here, ignore this mail.',
  }),
  emailChanged: (service: string, from: string, to: string): LinkTexts => ({
    subject: `The email of your account at ${service} was changed`,
    message: `The address of your account was changed from ${from} to ${to}. If it was not you, restore your address here within seven days. That also signs everybody out, ends all app passwords and removes the password, and what was added to the account since a week before the change was asked for, or since the session that asked for it began. On the page of the new password you decide about the rest:`,
    button: 'Restore my address',
    ifUnexpected: 'If it was you, there is nothing to do.',
  }),
  emailChangedNotice: (service: string, to: string) => ({
    subject: `The email of an account at ${service} was changed`,
    message: `An account at ${service} had the address ${to}, which was never confirmed. It has another address now, and nothing here belongs to ${to} any more. There is nothing to do.`,
  }),
  emailChangedByAdministrator: (service: string, from: string, to: string) => ({
    subject: `The email of your account at ${service} was changed`,
    message: `An administrator changed the address of your account from ${from} to ${to}. From now on mail about it goes there. If you did not expect this, ask who runs ${service}.`,
  }),
  test: (service: string) => ({
    subject: `A test mail of ${service}`,
    message: `This mail shows that ${service} can send mail.`,
  }),
}
