import type { Texts } from '../load-texts.ts'

export const proof: Texts['proof'] = {
  title: 'Bestätigen Sie, dass Sie es sind',
  text: 'Das gibt Zugang oder ändert, wie Sie sich anmelden. Dafür genügt eine offene Sitzung nicht.',
  stepUp: 'Die Anwendung, zu der Sie weitergehen, verlangt mehr, als Sie bei der Anmeldung nachgewiesen haben.',
  role: 'Eine Ihrer Rollen verlangt mehr, als Sie bei der Anmeldung nachgewiesen haben.',
  setUp: {
    title: 'Stärkere Anmeldung einrichten',
    passkeyOnly: 'Eine Ihrer Rollen verlangt einen Passkey. Bevor Sie einen haben, geht es nicht weiter.',
    either:
      'Eine Ihrer Rollen verlangt einen zweiten Schritt. Bevor Sie einen eingerichtet haben, geht es nicht weiter: einen Passkey oder eine Authenticator-App.',
    addPasskey: 'Passkey hinzufügen',
    addApp: 'Authenticator-App verwenden',
    scan: 'Lesen Sie das mit Ihrer Authenticator-App ein, oder tippen Sie das Geheimnis ab. Geben Sie dann den Code ein, den sie zeigt.',
    qr: 'QR-Code mit dem Geheimnis',
    secret: 'Geheimnis',
    code: 'Code der App',
    turnOn: 'Einschalten',
    codes:
      'Bewahren Sie diese Wiederherstellungscodes auf: Jeder lässt Sie einmal ein, wenn die App verloren ist. Sie werden nur jetzt gezeigt.',
    kept: 'Ich habe sie aufbewahrt',
  },
  notEnough:
    'Dafür braucht es einen Passkey, oder den zweiten Schritt, wo er genügt, und Ihr Konto hat keinen. Richten Sie ihn in Ihren Kontoeinstellungen ein.',
  nothing:
    'Ihr Konto hat weder ein Passwort noch einen Passkey. Setzen Sie zuerst ein Passwort: mit „Passwort vergessen“ auf der Anmeldeseite.',
  passkey: 'Mit einem Passkey bestätigen',
  password: 'Passwort',
  submit: 'Bestätigen',
  cancel: 'Abbrechen',
}
