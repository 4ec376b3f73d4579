import { plural } from '../../plural.ts'

export const hosts = {
  title: 'Hosts',
  description: 'Servers that people log in to with SSH certificates, and who may.',
  create: 'Add a host',
  createSubmit: 'Add',
  details: 'Details',
  edit: 'Edit',
  editTitle: (name: string) => `Edit ${name}`,
  emptyTitle: 'No hosts yet',
  empty: 'Add one to get the line that sets it up.',
  name: 'Name',
  hostnames: 'DNS names and addresses',
  hostnamesHint: 'One a line. The host’s certificate names them.',
  everybody: 'Open to everybody who may get certificates',
  allowedRoles: 'Allowed roles',
  allowedRolesHint: 'Without any, nobody gets in.',
  open: 'Open to everybody who may get certificates',
  restricted: (count: number) => plural('en', count, { one: 'Open to # role', other: 'Open to # roles' }),
  lastSeen: 'Last here',
  states: { waiting: 'Not enrolled yet', current: 'Current', behind: 'Not current', attention: 'Needs attention' },
  attention: {
    titles: {
      token_refused: 'Its token is refused',
      token_reused: 'An old token of it was used',
      ca_refused: 'It refuses the keys of the authority',
    },
    texts: {
      token_refused:
        'The token was genuine and is not known any more, mostly because an older backup was restored. Who may log in there stays as it was. Run a new line on the host.',
      token_reused:
        'An old token was used after the one that replaced it. A copy or an old snapshot of the machine has it, or a thief. Find out which, and run a new line on the right one. If it may be stolen, choose there to end at once what the host has now.',
      ca_refused:
        'The server offers keys of the SSH authority that don’t follow from those that the host trusts, and the host keeps its own. After a backup was restored that is older than a change of the authority, run a new line on the host. Otherwise somebody may answer in the server’s name.',
    },
    since: 'Noticed',
    newLine: 'New line for the host',
  },
  accounts: {
    title: 'Accounts',
    description:
      'This host makes an account for everybody who may log in, and locks it when they no longer may. Home folders are never removed.',
    label: 'Accounts on the host',
    kinds: { existing: 'Those that it has already', managed: 'Made by Latchkey, one for each person' },
    hints: {
      existing: 'No account is made, changed or locked there.',
      managed:
        'For everybody who may log in; locked when they no longer may. Root allows it with the line for the host, which has --allow-managed.',
    },
    willLock:
      'The accounts that the host has made are locked, and all that runs in them ends. Their home folders stay.',
    lineAllows: 'With --allow-managed, root lets Latchkey have accounts made on this host.',
    allowSudo: 'Let roles give sudo there, too',
    allowSudoHint:
      'Whoever controls this service, or may change or give roles that the host admits, can then make people root there.',
    managed: 'Has accounts made by Latchkey',
    managedNotAllowed: 'Should have accounts made by Latchkey, but root has not allowed it yet',
    asRoot: 'Run this on the host',
    notEnrolled: 'Not enrolled yet. The line of “New token” lets Latchkey have accounts made on this host.',
    notAllowedTitle: 'No accounts are made yet',
    notAllowed: 'Root has not allowed it on this host. This line does, and needs no new token.',
    notKnown:
      'The host has not said whether root allows it. If it was set up with an older version, this line brings the current one and allows it. It needs no new token.',
    sudoAllowed: 'Root has allowed accounts, and sudo for roles that this host admits.',
    sudoNotAllowed: 'Root has allowed accounts, but no sudo: what roles say about it has no effect here.',
    howToAllowSudo: 'Allow sudo here',
    conflicts: (count: number) =>
      plural('en', count, { one: '# account can’t be made', other: '# accounts can’t be made' }),
    conflictText:
      'An account, a group or a home folder that Latchkey did not make is in the way, and was left as it is. Wanted were:',
    conflict: (name: string, uid: number) => `${name}, user id ${uid}`,
    more: (count: number) => plural('en', count, { one: '# more', other: '# more' }),
    conflictRemedy:
      'On the host, rename or remove what is in the way, for example with usermod, and run latchkey-ssh-sync there as root. Or give the person another username.',
  },
  commandTitle: 'The line for the host, this once',
  commandText: 'Run it in a shell on the host within an hour. It works once. Nobody can show it to you again.',
  command: 'Run this on the host',
  done: 'I have copied it',
  newToken: 'New token',
  newTokenTitle: (name: string) => `Make a new token for ${name}?`,
  newTokenText: 'You get a new line that enrolls the host. What the host has now works until that line is used.',
  revokeNow: 'End at once what it has now',
  revokeNowHint: 'For a host that was stolen or broken into.',
  delete: 'Delete',
  deleteTitle: (name: string) => `Delete ${name}?`,
  deleteText:
    'Its certificates are revoked at once, and nobody can log in to it with a certificate any more. What the setup has installed on it stays until it is removed there.',
}

export const certificates = {
  title: 'Certificate log',
  description:
    'Every SSH certificate that was ever issued. Hosts whose sync is running learn of a revocation within seconds.',
  serial: 'Serial',
  who: 'Who',
  search: 'Search by account, email or serial',
  opens: (accounts: string) => `opens ${accounts}`,
  issued: 'Issued',
  until: 'Valid until',
  state: 'State',
  all: 'All',
  valid: 'Valid',
  expired: 'Expired',
  revoked: 'Revoked',
  revoke: 'Revoke',
  revokeTitle: (serial: string) => `Revoke certificate ${serial}?`,
  revokeText: 'It goes onto the revocation list. This can’t be taken back.',
  reason: 'Reason',
  reasonHint: 'Kept in the log. May stay empty.',
  emptyTitle: 'No certificates yet',
  empty: 'They appear here as people issue them.',
}
