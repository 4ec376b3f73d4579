import type { NotificationType } from '../../api/shapes.ts'
import { asNumber, asText } from '../as-text.ts'
type Data = Record<string, unknown>
const named = (data: Data) => asText(data['displayName'] ?? data['email'], 'A user')
const copied = ({ copiedAt }: Data) =>
  typeof copiedAt === 'number'
    ? new Date(copiedAt).toLocaleString('en', { dateStyle: 'medium', timeStyle: 'short' })
    : 'an earlier time'

export const account = {
  nav: {
    label: 'Main navigation',
    open: 'Open navigation',
    close: 'Close navigation',
    skip: 'Skip to the content',
    yours: 'Your account',
    ssh: 'SSH',
    admin: 'Administration',
    profile: 'Profile',
    password: 'Password',
    passkeys: 'Passkeys',
    sessions: 'Sessions',
    applications: 'Applications',
    notifications: 'Notifications',
    sshKeys: 'Keys and certificates',
    overview: 'Overview',
    users: 'Users',
    roles: 'Roles',
    clients: 'Applications',
    hosts: 'Hosts',
    certificates: 'Certificate log',
    audit: 'Audit trail',
    menu: (name: string) => `Account menu of ${name}`,
    signOut: 'Sign out',
    noPermissionTitle: 'This page is not open to you',
    noPermission: (permission: string) =>
      `It needs the permission ${permission}. An administrator can give you a role that has it.`,
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
    usernameLockedHere: 'It opens accounts on servers, so it is changed on your page under Administration, Users.',
    usernameLocked: 'It opens accounts on servers, so only an administrator can change it.',
    email: 'Email',
    verified: 'Verified',
    unverified: 'Not verified',
    resend: 'Send the verification mail again',
    resent: 'The mail is on its way.',
  },
  password: {
    title: 'Password',
    description: 'Changing it signs you out everywhere else, and applications have to sign you in again.',
    current: 'Current password',
    next: 'New password',
    submit: 'Change password',
    done: 'Your password is changed. Every other session has ended.',
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
    scopes: {
      openid: 'Knows that it is you',
      profile: 'Sees your profile',
      email: 'Sees your email address',
      offline_access: 'Stays connected',
    } as Record<string, string>,
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
    emptyTitle: 'All quiet',
    empty: 'Sign-ins from new devices, changes to your passkeys and the like show up here.',
    unknown: (type: string) => type,
    types: {
      'security.email_changed': (data) =>
        `The address of your account was changed from ${asText(data['from'], '')} to ${asText(data['to'], '')}.`,
      'security.passkey_added': (data) =>
        `The passkey “${asText(data['name'], 'without a name')}” was added to your account.`,
      'security.passkey_removed': (data) =>
        `The passkey “${asText(data['name'], 'without a name')}” was removed from your account.`,
      'security.password_changed': () => 'Your password was changed.',
      'security.password_reset_sent': () => 'An administrator sent you a link to set a new password.',
      'security.session_ended': (data) =>
        `An administrator ended one of your sessions, from the address ${asText(data['ipAddress'], 'unknown')}.`,
      'security.signed_out': () => 'An administrator signed you out everywhere.',
      'security.new_login': () => 'A sign-in from a new device or place.',
      'oauth.grant_added': (data: Data) => `You allowed ${asText(data['name'], 'an application')} to use your account.`,
      'oauth.device_approved': (data) =>
        `You let a device in: ${asText(data['deviceName'], 'without a name')}, from ${asText(data['ipAddress'], 'an unknown address')}, with ${asText(data['name'], 'an application')}.`,
      'ssh.cert_issued': (data) => `SSH certificate ${asText(data['serial'], '')} was issued to you.`,
      'service.restored': (data) =>
        `The service was restored from a backup of ${copied(data)}. Check what changed since then: accounts, roles, passkeys, applications.`,
      'user.disabled': (data: Data) => `The account of ${named(data)} was disabled.`,
      'user.enabled': (data: Data) => `The account of ${named(data)} was enabled.`,
      'lifecycle.failed': (data) =>
        data['action'] === 'enable'
          ? `The account of ${named(data)} was not enabled as planned. ${asText(data['reason'], '')}`
          : `The account of ${named(data)} was not disabled as planned. ${asText(data['reason'], '')}`,
      'lifecycle.planner_disabled': (data) =>
        `${named(data)}, who was disabled, had planned actions for other accounts. Still pending: ${asNumber(data['pending'])}. Check whether they should happen.`,
      'mail.failed': (data) =>
        `The mail “${asText(data['subject'], '')}” to ${asText(data['recipient'], 'somebody')} was not delivered. ${asText(data['reason'], '')}`,
    } satisfies Record<NotificationType, (data: Data) => string>,
  },
}
