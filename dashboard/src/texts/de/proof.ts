import type { Texts } from '../load-texts.ts'

export const proof: Texts['proof'] = {
  title: 'Bestätigen Sie, dass Sie es sind',
  text: 'Das gibt Zugang oder ändert, wie Sie sich anmelden. Dafür genügt eine offene Sitzung nicht.',
  stepUp: 'Die Anwendung, zu der Sie weitergehen, verlangt mehr, als Sie bei der Anmeldung nachgewiesen haben.',
  notEnough:
    'Dafür braucht es einen Passkey, oder den zweiten Schritt, wo er genügt, und Ihr Konto hat keinen. Richten Sie ihn in Ihren Kontoeinstellungen ein.',
  nothing:
    'Ihr Konto hat weder ein Passwort noch einen Passkey. Setzen Sie zuerst ein Passwort: mit „Passwort vergessen“ auf der Anmeldeseite.',
  passkey: 'Mit einem Passkey bestätigen',
  password: 'Passwort',
  submit: 'Bestätigen',
  cancel: 'Abbrechen',
}
