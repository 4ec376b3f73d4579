import type { AppError, ErrorCode } from '../../errors.ts'
import { type Look, renderBrandedPage } from '../../platform/http/branded-page.ts'
import { escapeHtml } from '../../platform/http/escape-html.ts'
import type { Locale } from '../../vocabulary/locales.ts'

interface PageTexts {
  title: string
  /** What is shown instead of the error's own sentence, which is English. */
  sentenceFor?: (code: ErrorCode) => string
  details: string
  hint: string
}

const GERMAN: Partial<Record<ErrorCode, string>> = {
  invalid_request: 'Die Anfrage der Anwendung ist unvollständig oder ungültig.',
  unauthorized_client: 'Die Anwendung darf das nicht anfragen.',
  invalid_scope: 'Die Anwendung verlangt mehr, als sie darf.',
  invalid_token: 'Dieser Link gilt nicht mehr.',
  not_allowed: 'Diese Anwendung ist für Sie nicht freigegeben.',
  foreign_origin: 'Die Anfrage kam von einer anderen Seite.',
  too_many_requests: 'Zu viele Anfragen. Warten Sie ein wenig.',
  body_too_large: 'Die Anfrage der Anwendung ist zu groß.',
  internal_error: 'Auf unserer Seite ist etwas schiefgegangen.',
  unavailable: 'Der Dienst ist gerade nicht verfügbar. Versuchen Sie es gleich noch einmal.',
}

const TEXTS: Record<Locale, PageTexts> = {
  en: {
    title: "This request can't be completed",
    details: 'Details for whoever runs the application:',
    hint: 'Nothing was shared with the application. Go back to it and try again; if this keeps happening, tell whoever runs it.',
  },
  de: {
    title: 'Diese Anfrage lässt sich nicht abschließen',
    sentenceFor: (code) => GERMAN[code] ?? 'Die Anfrage der Anwendung ist hier nicht möglich.',
    details: 'Einzelheiten für den Betrieb der Anwendung:',
    hint: 'Die Anwendung hat nichts erfahren. Gehen Sie zu ihr zurück und versuchen Sie es noch einmal; wenn es wieder passiert, geben Sie dort Bescheid.',
  },
}

/** Shown to a person whom an application has sent here with a request that can't be answered by a redirect. */
export function renderErrorPage(look: Look, locale: Locale, { code, message }: AppError): string {
  const { title, sentenceFor, details, hint } = TEXTS[locale]
  const said = sentenceFor?.(code)
  const content = said
    ? `<p>${escapeHtml(said)}</p>\n<p>${escapeHtml(hint)}</p>\n<p><small>${escapeHtml(details)} <span lang="en">${escapeHtml(message)}</span></small></p>`
    : `<p>${escapeHtml(message)}</p>\n<p>${escapeHtml(hint)}</p>`
  return renderBrandedPage(look, { locale, title, content })
}
