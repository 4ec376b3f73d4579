import type { overview as English } from '../../en/admin/overview.ts'
import { plural } from '../../plural.ts'

export const overview: typeof English = {
  title: 'Überblick',
  description: 'Wie es dem Dienst geht.',
  users: 'Aktive Personen',
  usersNote: (disabled, administrators) => `${disabled} gesperrt, ${administrators} in der Verwaltung`,
  sessions: 'Aktive Sitzungen',
  tokens: 'Gültige Zugriffstoken',
  certificates: 'SSH-Zertifikate',
  pending: 'Vorgemerkte Aktionen',
  failed: (count) => `${count} gescheitert`,
  days: 'Die letzten 30 Tage',
  attention: 'Braucht Aufmerksamkeit',
  delayedMail: (count) =>
    plural('de', count, { one: '# Mail wartet auf den Mailserver', other: '# Mails warten auf den Mailserver' }),
  delayedMailText: 'Es wird weiter versucht, bis der Link darin abläuft.',
  failedJob: (name) => `Die Hintergrundarbeit ${name} scheitert`,
  failedJobText: 'Es wird weiter versucht. Das Log des Dienstes sagt, warum.',
  failedMail: (recipient) => `Die Mail an ${recipient} wurde nicht zugestellt`,
  failedAction: { disable: 'wurde nicht wie vorgemerkt gesperrt', enable: 'wurde nicht wie vorgemerkt entsperrt' },
  checklist: {
    title: 'Diese Installation einrichten',
    description: 'Was eine neue Installation braucht. Zahlen erscheinen hier, sobald sie benutzt wird.',
    progress: (done, total) => `${done} von ${total} erledigt`,
    hide: 'Diese Liste ausblenden',
    show: 'Zeigen, was noch einzurichten ist',
    isDone: 'Erledigt',
    isOpen: 'Offen',
    items: {
      https: {
        title: 'Über https bereitstellen',
        text: 'BASE_URL auf eine https-Adresse setzen. Nur dort erlauben Browser Passkeys.',
      },
      mail: {
        title: 'Einen Mailserver anschließen',
        text: 'SMTP_URL setzen, dann ausprobieren. Bis dahin bleiben Mails im Ordner outbox.',
      },
      secondAdministrator: {
        title: 'Jemand anderem die Verwaltung geben',
        text: 'Damit ein verlorenes Gerät niemanden aussperrt.',
      },
      application: {
        title: 'Die erste Anwendung verbinden',
        text: 'Bei ihr meldet man sich dann mit dem Konto von hier an.',
      },
      host: { title: 'Den ersten Server hinzufügen', text: 'Für SSH mit Zertifikaten. Ohne SSH nicht nötig.' },
      backup: { title: 'Eine Sicherung machen', text: 'latchkey backup ausführen, und täglich einplanen.' },
    },
    open: 'Öffnen',
  },
  signIns: 'Anmeldungen pro Tag',
  lastDays: 'Die letzten 30 Tage, in UTC.',
  passkey: 'Passkey',
  password: 'Passwort',
  refused: 'Abgewiesen',
  issued: 'SSH-Zertifikate pro Tag',
  tokensIssued: 'Zugriffstoken pro Tag',
  accessTokens: 'Zugriffstoken',
  next: 'Was als Nächstes geschieht',
  nothingPending: 'Nichts ist vorgemerkt',
}
