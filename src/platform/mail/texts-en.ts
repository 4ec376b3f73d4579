/** What a mail with a link says. */
export interface LinkTexts {
  subject: string
  message: string
  button: string
  ifUnexpected: string
}

/** The English texts, which are the type of those in other languages. */
export const en = {
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
  invitation: (service: string, invitedBy: string): LinkTexts => ({
    subject: `Your invitation to ${service}`,
    message: `${invitedBy} invites you to ${service}. Set up your account to start using it, within seven days:`,
    button: 'Accept the invitation',
    ifUnexpected: 'If you did not expect this, ignore this mail.',
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
    message: `The address of your account was changed from ${from} to ${to}. If it was not you, restore your address here within seven days. That also signs everybody out and removes the password, and what was added to the account since a week before the change was asked for, or since the session that asked for it began. On the page of the new password you decide about the rest:`,
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
