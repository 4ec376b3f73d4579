import type * as English from '../../en/admin/telling.ts'

export const signOut: typeof English.signOut = {
  title: 'Wenn ein Zugang endet',
  description:
    'Hier endet jedes Token sofort. Eine Anwendung mit eigenen Sitzungen muss davon erfahren, sonst können Personen dort weiterarbeiten, bis sie wieder nachfragt.',
  logoutUri: 'Adresse für Logout-Token',
  logoutUriHint:
    'OpenID Connect Back-Channel Logout, ohne Fragment. Leer: Die Anwendung erfährt nichts. Dieser Server muss die Adresse erreichen können.',
  sessionRequired: 'Jedes Logout-Token nennt eine Sitzung',
  sessionRequiredHint:
    'Für Anwendungen, die ihre Sitzungen nur an sid erkennen. Endet der ganze Zugang einer Person, bekommen sie für jede Sitzung eines.',
  sessionExpiry: 'ID-Token sagen, wann die Sitzung spätestens endet',
  sessionExpiryHint: 'Im Claim session_expiry, damit die Anwendung ihre eigene Sitzung bis dahin beenden kann.',
  refreshTokens: 'Refresh-Token',
  refresh: { offline: 'Überdauern eine gewöhnliche Abmeldung', session: 'Enden mit der Sitzung' },
  refreshHints: {
    offline: 'Für Anwendungen, die auch in Abwesenheit der Person arbeiten, etwa ein Mailprogramm.',
    session: 'Für Anwendungen, die im Browser benutzt werden. Eine Erneuerung zählt als Benutzung der Sitzung.',
  },
}

export const signals: typeof English.signals = {
  title: 'Shared Signals',
  description:
    'Mit den Scopes ssf.read und ssf.manage legt die Anwendung einen Stream an und erfährt von Sitzungen, Anmeldemitteln, Rollen und Konten (CAEP und RISC).',
  subjects: 'Über wen sie etwas erfährt',
  subject: { own: 'Personen, die ihr etwas erlaubt haben', all: 'Alle' },
  subjectHints: {
    own: 'Alle, die sich bei ihr angemeldet und das nicht zurückgenommen haben.',
    all: 'Für Sicherheitsprodukte. Dafür braucht es die Berechtigungen, Webhooks zu verwalten und Personen zu sehen.',
  },
  formats: 'Wie Personen benannt werden',
  format: { iss_sub: 'Mit ihrer Kennung hier', email: 'Mit ihrer E-Mail-Adresse' },
  formatHints: {
    iss_sub: 'Dieselbe wie sub in ID-Token.',
    email: 'Wo sie bestätigt ist; sonst mit der Kennung.',
  },
}

export const telling: typeof English.telling = {
  failing: (when) => `Logout-Token werden seit ${when} nicht angenommen.`,
  taken: (when) => `Zuletzt wurde ein Logout-Token am ${when} angenommen.`,
  stream: 'Ihr Shared-Signals-Stream',
  statuses: { enabled: 'Ein', paused: 'Von der Anwendung angehalten', disabled: 'Aus' },
  streamFails: 'Scheitert',
  push: (host) => `Er wird an ${host} gesendet.`,
  poll: 'Die Anwendung holt ihn ab.',
  lastAt: (when) => `Zuletzt wurde am ${when} etwas gesendet.`,
  neverTold: 'Noch nichts wurde gesendet.',
  failingSince: (when) => `Seit ${when} wird nichts angenommen.`,
  events: 'Ereignisse',
}
