import type { Texts } from '../load-texts.ts'
import { plural } from '../plural.ts'

export const security: Texts['security'] = {
  title: 'Sicherheit',
  description: 'Wie Sie sich anmelden, was fehlt, und Ihre letzten Anmeldungen.',
  goodTitle: 'Es fehlt nichts',
  good: 'Sie melden sich mit einem Passkey an, den niemand abfangen oder erraten kann.',
  goodSecondStep:
    'Die Anmeldung mit Ihrem Passwort fragt nach einem Code aus Ihrer App. Mit einem Passkey ginge es schneller.',
  missingTitle: 'Was fehlt',
  passwordOnly:
    'Wer Ihr Passwort kennt oder errät, kann sich als Sie anmelden. Richten Sie einen Passkey oder eine Authenticator-App ein.',
  nothing:
    'Sie haben weder einen Passkey noch ein Passwort. Richten Sie einen Passkey ein, oder setzen Sie ein Passwort.',
  onePasskey:
    'Sie haben nur einen Passkey und kein Passwort: Geht sein Gerät verloren, kommen Sie nur mit einem Link per E-Mail wieder hinein.',
  fewCodes: (left) =>
    plural('de', left, {
      one: '# Wiederherstellungscode ist übrig. Erzeugen Sie neue.',
      other: '# Wiederherstellungscodes sind übrig. Erzeugen Sie neue.',
    }),
  unconfirmed:
    'Ihre E-Mail-Adresse ist nicht bestätigt. Deshalb erhalten Sie keine E-Mail, wenn mit Ihrem Konto etwas geschieht.',
  ways: 'Wie Sie sich anmelden',
  manage: (what) => `Verwalten: ${what}`,
  manageShort: 'Verwalten',
  passkeys: (count) => plural('de', count, { one: '# Passkey', other: '# Passkeys' }),
  noPasskey: 'Noch keiner',
  hasPassword: 'Gesetzt',
  noPassword: 'Keines: Sie melden sich ohne an',
  app: 'Authenticator-App',
  appOn: (left) =>
    plural('de', left, {
      one: 'Ein, mit # übrigen Wiederherstellungscode',
      other: 'Ein, mit # übrigen Wiederherstellungscodes',
    }),
  appOff: 'Aus',
  appNeedsPassword: 'Aus: Sie ist für Anmeldungen mit Passwort',
  demandNow: {
    second_step: 'Eine Ihrer Rollen verlangt einen zweiten Schritt oder einen Passkey.',
    passkey: 'Eine Ihrer Rollen verlangt einen Passkey, der Sie prüft.',
  },
  demandNext: {
    second_step: (date) => `Ab ${date} verlangt eine Ihrer Rollen einen zweiten Schritt oder einen Passkey.`,
    passkey: (date) => `Ab ${date} verlangt eine Ihrer Rollen einen Passkey, der Sie prüft.`,
  },
  signIns: 'Letzte Anmeldungen',
  signInsHint:
    'Auch abgewiesene Versuche stehen hier. War einer nicht von Ihnen, ändern Sie Ihr Passwort und beenden Sie die Sitzung.',
  noSignIns: 'Es sind keine mehr verzeichnet.',
  refused: 'Abgewiesen',
  methods: { password: 'Passwort', passkey: 'Passkey' },
  toSessions: 'Ihre Sitzungen',
}
