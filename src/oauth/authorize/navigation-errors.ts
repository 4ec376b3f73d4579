import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { AppError, ErrorCode } from '../../errors.ts'
import { readAppearance } from '../../identity/users/settings-store.ts'
import type { Config } from '../../platform/config/config.ts'
import { type Appearance, BRANDED_PAGE_POLICY, renderBrandedPage } from '../../platform/http/branded-page.ts'
import { oauthFormat, sendError, sendThenDrain, toAppError } from '../../platform/http/errors.ts'
import { escapeHtml } from '../../platform/http/escape-html.ts'
import { levelOf } from '../../platform/http/log.ts'
import { isUnavailable, isUnwritable } from '../../storage/failure.ts'
import { DEFAULT_LOCALE, type Locale, preferredLocale } from '../../vocabulary/locales.ts'
import type { Problems } from '../problems/problems.ts'
import type { Provider } from '../provider.ts'
import { RedirectedError } from './authorization-request.ts'
import { sendNextStep } from './form-post.ts'

type PageServices = Pick<Provider, 'config' | 'db'> & { problems: Problems }

/**
 * Errors of endpoints that browsers navigate to. Some are reported to the application by a redirect; the others are shown
 * as a page, or as JSON to a program that accepts only that.
 */
export function showErrors(part: FastifyInstance, services: PageServices): void {
  const { problems } = services
  part.setErrorHandler((error, request, reply) => {
    problems.note(request.routeOptions.url ?? '', error)
    if (error instanceof RedirectedError) return sendNextStep(reply, error.nextStep)
    if (wantsJson(request)) return sendError(request, reply, error, oauthFormat)
    return sendPage(services, request, reply, error)
  })
}

const wantsJson = ({ headers: { accept = '' } }: FastifyRequest): boolean =>
  accept.includes('application/json') && !accept.includes('text/html')

async function sendPage(
  { config, db }: PageServices,
  request: FastifyRequest,
  reply: FastifyReply,
  thrown: unknown,
): Promise<FastifyReply> {
  const error = toAppError(thrown)
  if (error.status >= 500) {
    request.log[levelOf(error.status)]({ requestId: request.id, err: thrown }, 'A page could not be answered.')
  }
  if (error.retryAfter !== undefined) void reply.header('retry-after', String(error.retryAfter))
  void reply
    .code(error.status)
    .header('content-security-policy', BRANDED_PAGE_POLICY)
    .header('cache-control', 'no-store')
    .type('text/html; charset=utf-8')
  // A database that has just not answered in time would make this request wait as long again. One that only can't be
  // written, as with a full disk, answers.
  const isAway = isUnavailable(thrown) && !isUnwritable(thrown)
  const appearance = isAway ? unbranded(config) : await readAppearance(db.read, config).catch(() => unbranded(config))
  const locale = preferredLocale(request.headers['accept-language']) ?? DEFAULT_LOCALE
  return sendThenDrain(request, reply, renderErrorPage(appearance, locale, error))
}

/** How pages look while the database can't be asked. */
const unbranded = ({ rpName }: Config): Appearance => ({ name: rpName, accentColor: null, logoUrl: null })

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
function renderErrorPage(appearance: Appearance, locale: Locale, { code, message }: AppError): string {
  const { title, sentenceFor, details, hint } = TEXTS[locale]
  const said = sentenceFor?.(code)
  const content = said
    ? `<p>${escapeHtml(said)}</p>\n<p>${escapeHtml(hint)}</p>\n<p><small>${escapeHtml(details)} <span lang="en">${escapeHtml(message)}</span></small></p>`
    : `<p>${escapeHtml(message)}</p>\n<p>${escapeHtml(hint)}</p>`
  return renderBrandedPage(appearance, { locale, title, content })
}
