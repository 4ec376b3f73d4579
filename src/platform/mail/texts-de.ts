import type { en } from './texts-en.ts'

export const de: typeof en = {
  reset: (service, to) => ({
    subject: `Neues Passwort für ${service}`,
    message: `Jemand hat ein neues Passwort für Ihr Konto ${to} angefordert. Wenn Sie das waren, setzen Sie es hier innerhalb einer Stunde:`,
    button: 'Neues Passwort setzen',
    ifUnexpected: 'Wenn Sie das nicht waren, ignorieren Sie diese E-Mail: Es hat sich nichts geändert.',
  }),
  resetByAdministrator: (service, to) => ({
    subject: `Neues Passwort für ${service}`,
    message: `Die Verwaltung schickt Ihnen diesen Link, damit Sie innerhalb einer Stunde ein neues Passwort für Ihr Konto ${to} setzen:`,
    button: 'Neues Passwort setzen',
    ifUnexpected: 'Ihr Passwort bleibt, wie es ist, bis Sie ein neues setzen.',
  }),
  invitation: (service, invitedBy) => ({
    subject: `Ihre Einladung zu ${service}`,
    message: `${invitedBy} lädt Sie zu ${service} ein. Richten Sie innerhalb von sieben Tagen Ihr Konto ein:`,
    button: 'Einladung annehmen',
    ifUnexpected: 'Wenn Sie das nicht erwartet haben, ignorieren Sie diese E-Mail.',
  }),
  verification: (service, to) => ({
    subject: `Bestätigen Sie Ihre E-Mail-Adresse für ${service}`,
    message: `Bestätigen Sie innerhalb eines Tages, dass ${to} Ihre Adresse ist:`,
    button: 'Adresse bestätigen',
    ifUnexpected: 'Wenn Sie hier kein Konto haben, ignorieren Sie diese E-Mail.',
  }),
  emailChange: (service, to) => ({
    subject: `Bestätigen Sie Ihre neue E-Mail-Adresse für ${service}`,
    message: `Bestätigen Sie innerhalb eines Tages, dass ${to} die neue Adresse Ihres Kontos ist:`,
    button: 'Neue Adresse bestätigen',
    ifUnexpected: 'Wenn Sie hier kein Konto haben, ignorieren Sie diese E-Mail.',
  }),
  emailChanged: (service, from, to) => ({
    subject: `Die E-Mail-Adresse Ihres Kontos bei ${service} wurde geändert`,
    message: `Die Adresse Ihres Kontos wurde von ${from} in ${to} geändert. Wenn Sie das nicht waren, stellen Sie Ihre Adresse hier innerhalb von sieben Tagen wieder her. Das meldet auch alle ab und entfernt das Passwort und alles, was dem Konto hinzugefügt wurde, seit einer Woche bevor die Änderung verlangt wurde oder seit dem Beginn der Sitzung, die sie verlangt hat. Auf der Seite des neuen Passworts entscheiden Sie über den Rest:`,
    button: 'Meine Adresse wiederherstellen',
    ifUnexpected: 'Wenn Sie das waren, ist nichts zu tun.',
  }),
  emailChangedNotice: (service, to) => ({
    subject: `Die E-Mail-Adresse eines Kontos bei ${service} wurde geändert`,
    message: `Ein Konto bei ${service} hatte die Adresse ${to}, die nie bestätigt wurde. Es hat jetzt eine andere Adresse, und zu ${to} gehört hier nichts mehr. Es ist nichts zu tun.`,
  }),
  emailChangedByAdministrator: (service, from, to) => ({
    subject: `Die E-Mail-Adresse Ihres Kontos bei ${service} wurde geändert`,
    message: `Jemand aus der Verwaltung hat die Adresse Ihres Kontos von ${from} in ${to} geändert. Nachrichten darüber gehen ab jetzt dorthin. Wenn Sie das nicht erwartet haben, fragen Sie bei den Verantwortlichen von ${service} nach.`,
  }),
  test: (service) => ({
    subject: `Eine Test-E-Mail von ${service}`,
    message: `Diese E-Mail zeigt, dass ${service} E-Mails verschicken kann.`,
  }),
}
