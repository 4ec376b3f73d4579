import type { requestErrors } from '../../../../../src/platform/http/request-errors.ts'
import type { ErrorTexts } from '../../error-texts.ts'

export const platformErrors: ErrorTexts<typeof requestErrors> = {
  body_empty: 'Die Anfrage ist leer, obwohl JSON angekündigt war.',
  body_too_large: 'Die Anfrage ist zu groß.',
  briefly_unavailable: 'Der Dienst ist gerade nicht erreichbar. Bitte versuchen Sie es noch einmal.',
  internal_error: 'Bei uns ist etwas schiefgegangen.',
  media_type_not_accepted: 'Diese Art von Inhalt wird hier nicht angenommen.',
  nothing_here: 'Hier ist nichts.',
  request_malformed: 'Die Anfrage ist fehlerhaft.',
  uri_too_long: 'Die Adresse ist zu lang.',
}
