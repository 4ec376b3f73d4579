import type { Client, TellingOfClient } from '../../../api/shapes.ts'

type Stream = NonNullable<TellingOfClient['stream']>

export const signOut = {
  title: 'When somebody’s access ends',
  description:
    'Here every token ends at once. An application with sessions of its own has to be told, or it lets people go on until it asks again.',
  logoutUri: 'Address for logout tokens',
  logoutUriHint:
    'OpenID Connect Back-Channel Logout, without a fragment. Empty: the application is not told. It has to be reachable from this server.',
  sessionRequired: 'Each logout token names a session',
  sessionRequiredHint:
    'For applications that find their sessions only by sid. Where all of a person’s access ends, they get one for each.',
  sessionExpiry: 'ID tokens say when the session ends at the latest',
  sessionExpiryHint: 'In the claim session_expiry, so that the application can end its own session by then.',
  refreshTokens: 'Refresh tokens',
  refresh: {
    offline: 'Outlive an ordinary sign-out',
    session: 'End with the session',
  } satisfies Record<Client['refreshTokens'], string>,
  refreshHints: {
    offline: 'For applications that work while the person is away, such as a mail program.',
    session: 'For applications that people use in the browser. A refresh counts as use of the session.',
  } satisfies Record<Client['refreshTokens'], string>,
}

export const signals = {
  title: 'Shared signals',
  description:
    'With the scopes ssf.read and ssf.manage the application makes a stream, and is told of sessions, credentials, roles and accounts (CAEP and RISC).',
  subjects: 'About whom it is told',
  subject: {
    own: 'People who have granted it something',
    all: 'Everybody',
  } satisfies Record<Client['signalSubjects'], string>,
  subjectHints: {
    own: 'Whoever has signed in to it and has not taken that back.',
    all: 'For security products. It needs the permissions to manage webhooks and to see users.',
  } satisfies Record<Client['signalSubjects'], string>,
  formats: 'How people are named',
  format: {
    iss_sub: 'By their identifier here',
    email: 'By their email address',
  } satisfies Record<Client['signalSubjectFormat'], string>,
  formatHints: {
    iss_sub: 'The same as sub in ID tokens.',
    email: 'Where it is confirmed; others are named by their identifier.',
  } satisfies Record<Client['signalSubjectFormat'], string>,
}

/** The stream that an application has made, and whether it takes what it is told. */
export const telling = {
  failing: (when: string) => `Logout tokens have not been taken since ${when}.`,
  taken: (when: string) => `A logout token was taken last on ${when}.`,
  stream: 'Its stream of shared signals',
  statuses: { enabled: 'On', paused: 'Paused by the application', disabled: 'Off' } satisfies Record<
    Stream['status'],
    string
  >,
  streamFails: 'Fails',
  push: (host: string) => `It is pushed to ${host}.`,
  poll: 'The application fetches it.',
  lastAt: (when: string) => `Something was sent last on ${when}.`,
  neverTold: 'Nothing was sent yet.',
  failingSince: (when: string) => `Nothing has been taken since ${when}.`,
  events: 'Events',
}
