import type { en } from './texts-en.ts'

const security: typeof en.security = {
  'security.new_login': (service, account) => ({
    subject: `Eine Anmeldung an Ihrem Konto bei ${service}`,
    message: `Jemand hat sich an Ihrem Konto ${account} angemeldet, mit einem Browser oder an einem Ort, der dafür neu ist.`,
  }),
  'security.password_changed': (service, account) => ({
    subject: `Das Passwort Ihres Kontos bei ${service} wurde geändert`,
    message: `Das Passwort Ihres Kontos ${account} wurde geändert.`,
  }),
  'security.password_reset_sent': (service, account) => ({
    subject: `Ein neues Passwort für Ihr Konto bei ${service}`,
    message: `Ein Link für ein neues Passwort Ihres Kontos ${account} wurde verschickt.`,
  }),
  'security.email_changed': (service, account) => ({
    subject: `Die E-Mail-Adresse Ihres Kontos bei ${service} wurde geändert`,
    message: `Ihr Konto hatte die Adresse ${account} und hat jetzt eine andere.`,
  }),
  'security.passkey_added': (service, account, name) => ({
    subject: `Ein Passkey wurde Ihrem Konto bei ${service} hinzugefügt`,
    message: `Der Passkey${name} wurde Ihrem Konto ${account} hinzugefügt. Wer ihn hat, kann sich anmelden.`,
  }),
  'security.passkey_removed': (service, account, name) => ({
    subject: `Ein Passkey wurde aus Ihrem Konto bei ${service} entfernt`,
    message: `Der Passkey${name} wurde aus Ihrem Konto ${account} entfernt.`,
  }),
  'security.totp_added': (service, account) => ({
    subject: `Ihrem Konto bei ${service} wurde eine Authenticator-App hinzugefügt`,
    message: `Ab jetzt fragt Ihr Konto ${account} bei der Anmeldung mit dem Passwort nach einem Code aus einer Authenticator-App.`,
  }),
  'security.totp_removed': (service, account) => ({
    subject: `Die Authenticator-App wurde aus Ihrem Konto bei ${service} entfernt`,
    message: `Ihr Konto ${account} fragt nicht mehr nach einem Code aus einer Authenticator-App. Auch die Wiederherstellungscodes gelten nicht mehr.`,
  }),
  'security.recovery_code_used': (service, account) => ({
    subject: `Ein Wiederherstellungscode Ihres Kontos bei ${service} wurde benutzt`,
    message: `Jemand, der das Passwort kennt, hat für Ihr Konto ${account} einen Wiederherstellungscode statt der Authenticator-App benutzt. Wie viele noch übrig sind, steht auf Ihrer Kontoseite.`,
  }),
  'security.ssh_key_added': (service, account, name) => ({
    subject: `Ein SSH-Schlüssel wurde Ihrem Konto bei ${service} hinzugefügt`,
    message: `Der SSH-Schlüssel${name} wurde Ihrem Konto ${account} hinzugefügt. Wer ihn hat, kann Zertifikate dafür bekommen.`,
  }),
  'security.app_password_added': (service, account, name) => ({
    subject: `Ein App-Passwort wurde für Ihr Konto bei ${service} erstellt`,
    message: `Das App-Passwort${name} wurde für Ihr Konto ${account} erstellt.`,
  }),
  'security.app_password_removed': (service, account, name) => ({
    subject: `Ein App-Passwort Ihres Kontos bei ${service} wurde beendet`,
    message: `Das App-Passwort${name} Ihres Kontos ${account} wurde beendet.`,
  }),
  'security.session_ended': (service, account) => ({
    subject: `Eine Sitzung Ihres Kontos bei ${service} wurde beendet`,
    message: `Eine Sitzung Ihres Kontos ${account} wurde beendet.`,
  }),
  'security.signed_out': (service, account) => ({
    subject: `Sie wurden bei ${service} abgemeldet`,
    message: `Alle Sitzungen Ihres Kontos ${account} wurden beendet.`,
  }),
}

const conditionalPasskey: typeof en.conditionalPasskey = (service, account, name) => ({
  subject: `Ein Passkey wurde Ihrem Konto bei ${service} hinzugefügt`,
  message: `Nach einer Anmeldung mit dem Passwort hat der Browser den Passkey${name} für Ihr Konto ${account} selbst angelegt. Er liegt bei Ihren Passwörtern, und wer ihn hat, kann sich anmelden.`,
})

export const de: typeof en = {
  security,
  conditionalPasskey,
  securityFacts: { when: 'Wann', where: 'Wo', device: 'Gerät', by: 'Durch', administrator: 'die Verwaltung' },
  notMe: {
    button: 'Das war ich nicht',
    ifUnexpected:
      'Wenn Sie das nicht waren, sagen Sie es innerhalb von sieben Tagen: Der Link zeigt, was beendet wird, bevor etwas geschieht. Wenn Sie das waren, ist nichts zu tun.',
  },
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
  resetAfterUndoing: (service, to) => ({
    subject: `Neues Passwort für ${service}`,
    message: `In Ihrem Konto ${to} wurden alle abgemeldet, weil jemand anderes es benutzt hat. Setzen Sie hier innerhalb einer Stunde ein neues Passwort:`,
    button: 'Neues Passwort setzen',
    ifUnexpected:
      'Nach dieser Stunde fordern Sie auf der Anmeldeseite unter „Passwort vergessen?“ einen neuen Link an.',
  }),
  invitation: (service, invitedBy) => ({
    subject: `Ihre Einladung zu ${service}`,
    message: `${invitedBy} lädt Sie zu ${service} ein. Richten Sie innerhalb von sieben Tagen Ihr Konto ein:`,
    button: 'Einladung annehmen',
    ifUnexpected: 'Wenn Sie das nicht erwartet haben, ignorieren Sie diese E-Mail.',
  }),
  setUp: (service, to) => ({
    subject: `Richten Sie für ${service} eine stärkere Anmeldung ein`,
    message: `Eine Rolle Ihres Kontos ${to} verlangt einen Passkey oder einen zweiten Schritt. Melden Sie sich an, und richten Sie ihn hier innerhalb eines Tages ein:`,
    button: 'Einrichten',
    ifUnexpected:
      'Wenn Sie das nicht erwartet haben, fragen Sie, wer den Dienst betreibt. Der Link allein lässt niemanden ein.',
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
    message: `Die Adresse Ihres Kontos wurde von ${from} in ${to} geändert. Wenn Sie das nicht waren, stellen Sie Ihre Adresse hier innerhalb von sieben Tagen wieder her. Das meldet auch alle ab, beendet alle App-Passwörter und entfernt das Passwort und alles, was dem Konto hinzugefügt wurde, seit einer Woche bevor die Änderung verlangt wurde oder seit dem Beginn der Sitzung, die sie verlangt hat. Auf der Seite des neuen Passworts entscheiden Sie über den Rest:`,
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
