import type { NotificationType } from '../../api/shapes.ts'
import { asNumber, asText } from '../as-text.ts'
import { plural } from '../plural.ts'
type Data = Record<string, unknown>
const named = (data: Data) => asText(data['displayName'] ?? data['email'], 'A user')
const copied = ({ copiedAt }: Data) =>
  typeof copiedAt === 'number'
    ? new Date(copiedAt).toLocaleString('en', { dateStyle: 'medium', timeStyle: 'short' })
    : 'an earlier time'

export const account = {
  unsaved: {
    title: 'Leave without saving?',
    text: 'What you entered on this page has not been saved.',
    inDialog: 'What you entered has not been saved. Discard it?',
    stay: 'Keep editing',
    leave: 'Leave the page',
    discard: 'Discard',
  },
  session: {
    endedTitle: 'Your session has ended',
    endedText: (email: string) => `Sign in again as ${email}. What you entered on this page stays.`,
    password: 'Password',
    signIn: 'Sign in',
    passkey: 'Sign in with a passkey',
    leave: 'Leave the page',
    otherPasskey: 'This passkey belongs to another account. Use one of the account that this page was opened with.',
    otherTitle: 'You are signed in as somebody else now',
    otherText:
      'In another tab this browser was signed in to another account. Nothing was changed from this page. Reload it to go on with the other account.',
  },
  nav: {
    label: 'Main navigation',
    open: 'Open navigation',
    close: 'Close navigation',
    skip: 'Skip to the content',
    yours: 'Your account',
    ssh: 'SSH',
    admin: 'Administration',
    home: 'Start',
    profile: 'Profile',
    security: 'Security',
    password: 'Password',
    passkeys: 'Passkeys',
    sessions: 'Sessions',
    applications: 'Applications',
    appPasswords: 'App passwords',
    notifications: 'Notifications',
    sshKeys: 'Keys and certificates',
    overview: 'Overview',
    users: 'Users',
    roles: 'Roles',
    clients: 'Applications',
    hosts: 'Hosts',
    certificates: 'Certificate log',
    audit: 'Audit trail',
    settings: 'Settings',
    menu: (name: string) => `Account menu of ${name}`,
    signOut: 'Sign out',
    noPermissionTitle: 'This page is not open to you',
    noPermission: (permission: string) =>
      `It needs this permission: “${permission}”. An administrator can give you a role that has it.`,
  },
  palette: {
    title: 'Search everything',
    open: (keys: string) => `Search everything (${keys})`,
    keys: 'Ctrl K',
    placeholder: 'People, applications, hosts, pages, actions',
    close: 'Close the search',
    empty: 'Nothing found.',
    found: (count: number) => plural('en', count, { one: '# result', other: '# results' }),
    kinds: {
      people: 'People',
      applications: 'Applications',
      hosts: 'Hosts',
      actions: 'Actions',
      pages: 'Pages',
    },
    actions: {
      invite: 'Invite somebody',
      import: 'Import people from a CSV file',
      register: 'Register an application',
      planned: 'People with a planned action',
      refused: 'Refused sign-ins',
      webhooks: 'Webhooks',
      passkey: 'Add a passkey',
      password: 'Change your password',
      certificate: 'Get an SSH certificate',
    },
  },
  home: {
    title: (name: string) => `Hello, ${name}`,
    description: 'The applications that you can open with this account.',
    list: 'Your applications',
    newTab: '(opens in a new tab)',
    authorized: 'Uses your account',
    authorizedHint: 'Which application sees what of yours?',
    toAuthorized: 'Applications that use your account',
    emptyTitle: 'No applications yet',
    empty: 'As soon as your administrators connect one that you may use, you can open it here.',
    toProfile: 'Go to your profile',
  },
  profile: {
    title: 'Profile',
    description: 'How you appear here and to the applications you allow.',
    picture: 'Picture',
    pictureHint: 'PNG, JPEG, WebP, GIF or AVIF, at most 5 MB.',
    choose: 'Choose a picture',
    crop: 'Choose the part to show',
    cropHint: 'Drag the picture, or move it with the arrow keys.',
    zoom: 'Zoom',
    upload: 'Use this picture',
    uploading: (percent: number) => `Uploading, ${percent} %`,
    removePicture: 'Remove the picture',
    unreadable: 'This file can’t be read as a picture.',
    details: 'Details',
    displayName: 'Display name',
    givenName: 'Given name',
    familyName: 'Family name',
    username: 'Username',
    usernameHint: 'Small letters, digits, _ and -. It is also your name on servers you reach by SSH.',
    usernameChanges: (left: number) =>
      ['You have changed it twice in the last 30 days.', 'You can change it once more within 30 days.'][left] ??
      'You can change it twice in 30 days.',
    usernameToldTitle: 'Applications know you by your username',
    usernameTold: (names: string) =>
      `These were told your username, and may take you for somebody else after you change it: ${names}.`,
    usernameLockedHere: 'It opens accounts on servers, so it is changed on your page under Administration, Users.',
    usernameLocked: 'It opens accounts on servers, so only an administrator can change it.',
    email: 'Email',
    verified: 'Verified',
    unverified: 'Not verified',
    resend: 'Send the verification mail again',
    resent: 'The mail is on its way.',
    changeEmail: 'Change the address',
    newEmail: 'New email address',
    changeEmailHint: 'We send a link to the new address. Your account keeps the old one until you open it.',
    changeEmailSent: (email: string) => `A link is on its way to ${email}. Open it within a day, in this browser.`,
    language: 'Language of mails',
    languageHint: 'The language of this page is chosen at the bottom of the navigation.',
    currentPassword: 'Current password',
    passkeyProof: 'Your account has no password: confirm with your passkey.',
    deleteTitle: 'Delete your account',
    deleteText:
      'Your profile, passkeys, SSH keys and sessions are deleted, certificates are revoked, and applications lose their access. This can’t be undone.',
    delete: 'Delete my account',
    deleteTyped: (email: string) => `Type ${email} to confirm`,
  },
  password: {
    title: 'Password',
    description: 'Changing it signs you out everywhere else, and applications have to sign you in again.',
    current: 'Current password',
    next: 'New password',
    submit: 'Change password',
    first: 'Your account has no password yet. With one, you can sign in where your passkey is not at hand.',
    submitFirst: 'Set password',
    done: 'Your new password is set. Every other session has ended.',
  },
  secondStep: {
    title: 'Authenticator app',
    description: 'A second step for whoever signs in with the password. A passkey needs none.',
    off: 'Your account has no authenticator app: who knows the password can sign in.',
    on: (left: number) =>
      `A sign-in with the password asks for a code of your app. Recovery codes that are left:\u00A0${left}.`,
    add: 'Add an authenticator app',
    turnOn: 'Turn on',
    scan: 'Scan this with your authenticator app, or type the secret into it. Then enter the code that it shows.',
    qr: 'QR code for your authenticator app. The secret below says the same.',
    secret: 'Secret',
    firstCode: 'Code of the app',
    remove: 'Remove the app',
    removeTitle: 'Remove the authenticator app?',
    removeText: 'From then on the password alone is enough to sign in. The recovery codes stop working.',
    renew: 'New recovery codes',
    renewTitle: 'Make new recovery codes?',
    renewText: 'The earlier ones stop working.',
    codes: 'Recovery codes',
    codesTitle: 'Your recovery codes',
    codesWarning: 'These are shown only now',
    codesText:
      'Each lets you in once, with the password, when the app is not at hand. Keep them where you keep other papers, not on the same device.',
    done: 'I have kept them',
  },
  passkeys: {
    title: 'Passkeys',
    description:
      'Sign in with your fingerprint, face, screen lock or a security key. Nothing to remember, nothing to phish.',
    add: 'Add a passkey',
    name: 'Name',
    nameHint: 'So that you recognise it later, for example “Work laptop”.',
    unnamed: 'Passkey',
    created: 'Added',
    lastUsed: 'Last used',
    synced: 'Synced',
    deviceBound: 'This device only',
    rename: 'Rename',
    renameTitle: 'Rename the passkey',
    removeTitle: (name: string) => `Remove “${name}”?`,
    removeText: 'You can’t sign in with it any more. Your device may still offer it until you delete it there too.',
    emptyTitle: 'No passkeys yet',
    empty: 'Add one, and your next sign-in takes a touch instead of a password.',
  },
  sessions: {
    title: 'Sessions',
    description: 'Where you are signed in. End whatever you don’t recognise, then change your password.',
    current: 'This device',
    unknownDevice: 'Unknown device',
    unknownPlace: 'Unknown place',
    lastUsed: 'Active',
    created: 'Signed in',
    expires: 'Ends',
    end: 'End session',
    endAll: 'End all other sessions',
    endAllTitle: 'End all other sessions?',
    endAllText: 'Every browser but this one is signed out at once.',
    others: 'Other devices',
    emptyTitle: 'Nowhere else',
    empty: 'You are signed in on this device only.',
  },
  applications: {
    title: 'Applications',
    description: 'Applications that you allowed to use your account.',
    since: 'Allowed',
    toHome: 'Applications that you can open',
    scopes: {
      openid: 'Knows that it is you',
      profile: 'Sees your profile',
      email: 'Sees your email address',
      groups: 'Sees your groups',
      offline_access: 'Stays connected',
    },
    revoke: 'Revoke',
    revokeTitle: (name: string) => `Revoke the access of ${name}?`,
    revokeText: 'Its tokens stop working at once. It has to ask you again before it gets new ones.',
    emptyTitle: 'No applications yet',
    empty: 'When you sign in to another application with this account, it appears here.',
  },
  notifications: {
    title: 'Notifications',
    description: 'What happened with your account.',
    bell: (unread: number) => (unread === 0 ? 'Notifications' : `Notifications, ${unread} unread`),
    markRead: 'Mark as read',
    markAll: 'Mark all as read',
    unread: 'Unread',
    notMe: 'This was not me',
    notMeTitle: 'Somebody else did this?',
    notMeText:
      'Everybody is signed out of your account, you included, and applications and app passwords lose their access. What was added is removed. If your password is still the one of that time, it is removed, and you get a mail to set a new one.',
    disowned: 'Not you',
    emptyTitle: 'All quiet',
    empty: 'Sign-ins from new devices, changes to your passkeys and the like show up here.',
    unknown: (type: string) => type,
    types: {
      'security.email_changed': (data) =>
        `The address of your account was changed from ${asText(data['from'], '')} to ${asText(data['to'], '')}.`,
      'security.app_password_added': (data) =>
        `An app password was made for ${asText(data['site'], 'a site')}: ${asText(data['name'], '')}.`,
      'security.app_password_removed': (data) => `An app password was ended: ${asText(data['name'], '')}.`,
      'security.passkey_added': (data) =>
        data['conditional'] === true
          ? `Your browser made the passkey “${asText(data['name'], 'without a name')}” by itself after a sign-in with the password.`
          : `The passkey “${asText(data['name'], 'without a name')}” was added to your account.`,
      'security.passkey_removed': (data) =>
        `The passkey “${asText(data['name'], 'without a name')}” was removed from your account.`,
      'security.password_changed': () => 'Your password was changed.',
      'security.password_reset_sent': () => 'An administrator sent you a link to set a new password.',
      'security.session_ended': (data) =>
        `An administrator ended one of your sessions, from the address ${asText(data['ipAddress'], 'unknown')}.`,
      'security.signed_out': () => 'An administrator signed you out everywhere.',
      'security.new_login': () => 'A sign-in from a new device or place.',
      'security.ssh_key_added': (data) =>
        `The SSH key “${asText(data['name'], 'without a name')}” was added to your account.`,
      'security.totp_added': () => 'An authenticator app was added to your account.',
      'security.totp_removed': () => 'The authenticator app was removed from your account.',
      'security.recovery_code_used': (data) =>
        `A recovery code was used to prove that it is you. Codes that are left: ${asNumber(data['left'])}.`,
      'oauth.grant_added': (data: Data) => `You allowed ${asText(data['name'], 'an application')} to use your account.`,
      'oauth.device_approved': (data) =>
        `You let a device in: ${asText(data['deviceName'], 'without a name')}, from ${asText(data['ipAddress'], 'an unknown address')}, with ${asText(data['name'], 'an application')}.`,
      'ssh.cert_issued': (data) => `SSH certificate ${asText(data['serial'], '')} was issued to you.`,
      'ssh.host_attention': (data) => {
        const name = asText(data['name'], 'A host')
        if (data['reason'] === 'token_reused')
          return `${name} needs attention: an old token of it was used. Somebody may have stolen it, or copied the machine. Make a new line that enrolls it.`
        if (data['reason'] === 'ca_refused')
          return `${name} needs attention: it refuses the keys of the SSH authority, which don’t follow from those that it trusts.`
        return `${name} needs attention: its token is refused, so who may log in there stays as it was. Make a new line that enrolls it.`
      },
      'service.restored': (data) =>
        `The service was restored from a backup of ${copied(data)}. Check what changed since then: accounts, roles, passkeys, applications. Hosts that need attention need a new enrolment line; if an SSH authority was rotated since then, all hosts do.`,
      'user.disabled': (data: Data) => `The account of ${named(data)} was disabled.`,
      'user.enabled': (data: Data) => `The account of ${named(data)} was enabled.`,
      'user.not_me': (data) =>
        `${named(data)} says that somebody else used the account. Everybody was signed out of it. Look through what has access.`,
      'lifecycle.failed': (data) =>
        data['action'] === 'enable'
          ? `The account of ${named(data)} was not enabled as planned. ${asText(data['reason'], '')}`
          : `The account of ${named(data)} was not disabled as planned. ${asText(data['reason'], '')}`,
      'lifecycle.planner_disabled': (data) =>
        `${named(data)}, who was disabled, had planned actions for other accounts. Still pending: ${asNumber(data['pending'])}. Check whether they should happen.`,
      'receiver.failing': (data) =>
        data['turnedOff'] === true
          ? `The webhook “${asText(data['name'], '')}” has not answered for three days and was turned off. ${asText(data['error'], '')}`
          : `“${asText(data['name'], '')}” has not answered for three days, and was not told that access has ended. It goes on being tried. ${asText(data['error'], '')}`,
      'mail.failed': (data) =>
        `The mail “${asText(data['subject'], '')}” to ${asText(data['recipient'], 'somebody')} was not delivered. ${asText(data['reason'], '')}`,
    } satisfies Record<NotificationType, (data: Data) => string>,
  },
}
