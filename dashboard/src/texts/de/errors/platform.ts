import type { settingsErrors } from '../../../../../src/operations/settings/settings-errors.ts'
import type { webhookErrors } from '../../../../../src/operations/webhooks/webhook-errors.ts'
import type { blobErrors } from '../../../../../src/platform/blobs/blob-errors.ts'
import type { requestErrors } from '../../../../../src/platform/http/request-errors.ts'
import type { limitErrors } from '../../../../../src/platform/limits/limit-errors.ts'
import type { outgoingErrors } from '../../../../../src/platform/outgoing/outgoing-errors.ts'
import type { pictureErrors } from '../../../../../src/platform/pictures/picture-errors.ts'
import type { ErrorTexts } from '../../error-texts.ts'

type Table = typeof requestErrors &
  typeof blobErrors &
  typeof limitErrors &
  typeof outgoingErrors &
  typeof pictureErrors &
  typeof settingsErrors &
  typeof webhookErrors

export const platformErrors: ErrorTexts<Table> = {
  about_with_others: 'Entweder about nennen, oder actor und target.',
  address_not_allowed:
    'Diese Adresse ist nicht öffentlich, und OUTGOING_ALLOW erlaubt sie nicht. Fragen Sie, wer diesen Dienst betreibt.',
  body_compressed: 'Komprimierte Anfragen werden hier nicht angenommen.',
  body_empty: 'Die Anfrage ist leer, obwohl JSON angekündigt war.',
  body_not_json: 'Die Anfrage ist kein gültiges JSON in UTF-8.',
  body_too_deep: 'Die Anfrage ist tiefer als {max} Ebenen verschachtelt.',
  body_too_large: 'Die Anfrage ist zu groß.',
  body_too_slow: 'Die Anfrage hat zu lange gedauert.',
  briefly_unavailable: 'Der Dienst ist gerade nicht erreichbar. Bitte versuchen Sie es noch einmal.',
  cursor_unknown: 'Diese Stelle der Liste gibt es nicht mehr. Laden Sie die Seite neu.',
  disk_unavailable: 'Bilder können gerade nicht gespeichert werden. Versuchen Sie es noch einmal.',
  field_forbidden: 'Die Anfrage hat ein Feld, das nicht erlaubt ist: {name}.',
  field_twice: 'Die Anfrage nennt {name} doppelt.',
  file_missing: 'Die Datei fehlt oder ist leer.',
  file_too_large: 'Die Datei ist zu groß. Höchstens 5 MB werden angenommen.',
  foreign_page: 'Das geht nur auf den Seiten von {origin}.',
  headers_too_large:
    'Der Browser hat zu viel gesendet. Löschen Sie die Cookies dieser Seite, und versuchen Sie es noch einmal.',
  internal_error: 'Bei uns ist etwas schiefgegangen.',
  media_type_not_accepted: 'Diese Art von Inhalt wird hier nicht angenommen.',
  method_not_allowed: 'Das kann der Dienst nicht.',
  network_queue_full: 'Aus Ihrem Netz warten sehr viele Anfragen. Versuchen Sie es in {wait:duration} noch einmal.',
  no_logo: 'Es gibt kein Logo.',
  no_such_delivery: 'Diese Zustellung gibt es nicht.',
  no_such_webhook: 'Diesen Webhook gibt es nicht.',
  outgoing_address_malformed:
    'Diese Adresse muss eine vollständige URL mit https sein, ohne Zugangsdaten, Fragment (#), Leerzeichen und Steuerzeichen.',
  outgoing_address_needs_https:
    'Diese Adresse muss https verwenden. OUTGOING_ALLOW kann http für Hosts und Adressen eines privaten Netzes erlauben.',
  not_a_picture: 'Die Datei ist kein lesbares Bild in PNG, JPEG, WebP, GIF oder AVIF.',
  not_http: 'Das ist keine gültige HTTP-Anfrage.',
  not_multipart: 'Das Bild muss als Formular mit der Datei im Feld „file“ gesendet werden.',
  nothing_at: 'Unter {path} ist nichts.',
  nothing_here: 'Hier ist nichts.',
  object_store_unavailable: 'Der Speicher für Bilder ist gerade nicht verfügbar. Versuchen Sie es noch einmal.',
  one_file_only: 'Wählen Sie genau eine Datei.',
  request_malformed: 'Die Anfrage ist fehlerhaft.',
  request_too_slow: 'Die Anfrage hat zu lange gedauert. Versuchen Sie es noch einmal.',
  setting_fixed: 'Die Einstellung {setting} ist in der Umgebung des Dienstes gesetzt und lässt sich hier nicht ändern.',
  sign_in_queue_full: 'Gerade melden sich sehr viele an. Versuchen Sie es noch einmal.',
  too_many_attempts_at_once: 'Zu viele Versuche zur gleichen Zeit. Versuchen Sie es in {wait:duration} noch einmal.',
  too_many_failures: 'Zu viele Fehlversuche. Versuchen Sie es in {wait:duration} noch einmal.',
  too_many_pixels: 'Das Bild hat zu viele Pixel. Höchstens 40 Megapixel und 500 Einzelbilder werden angenommen.',
  too_many_test_mails: 'Ihnen wurden zu viele Mails geschickt. Versuchen Sie es in einer Stunde noch einmal.',
  too_many_webhook_requests:
    'An einen Webhook gehen höchstens {max} Tests und Wiederholungen in der Minute. Versuchen Sie es in einer Minute noch einmal.',
  too_many_webhooks: 'Es gibt schon {max} Webhooks.',
  upload_malformed: 'Die hochgeladene Datei wurde unterwegs beschädigt.',
  uri_too_long: 'Die Adresse ist zu lang.',
  webhook_entry_gone: 'Der Eintrag des Prüfprotokolls wurde archiviert und kann nicht noch einmal gesendet werden.',
  webhook_event_unknown:
    '{event} ist weder eine Aktion des Prüfprotokolls, die gesendet wird, noch der Anfang einer solchen wie user.*.',
  webhook_off: 'Dieser Webhook ist abgeschaltet. Schalten Sie ihn zuerst ein.',
}
