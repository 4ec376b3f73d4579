import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { readLook } from '../../identity/users/settings-store.ts'
import type { Config } from '../../platform/config/config.ts'
import { BRANDED_PAGE_POLICY, type Look } from '../../platform/http/branded-page.ts'
import { sendThenDrain, oauthFormat, sendError, toAppError } from '../../platform/http/errors.ts'
import { levelOf } from '../../platform/http/log.ts'
import { isUnavailable, isUnwritable } from '../../storage/failure.ts'
import { DEFAULT_LOCALE, preferredLocale } from '../../vocabulary/locales.ts'
import type { Provider } from '../provider.ts'
import type { Refusals } from '../refusals/refusals.ts'
import { RedirectedRefusal } from './authorization-request.ts'
import { renderErrorPage } from './error-page.ts'
import { sendNextStep } from './form-post.ts'

type Needs = Pick<Provider, 'config' | 'db'> & { refusals: Refusals }

/**
 * Errors of endpoints that browsers navigate to. Some are reported to the application by a redirect; the others are shown
 * as a page, or as JSON to a program that accepts only that.
 */
export function showErrors(part: FastifyInstance, services: Needs): void {
  const { refusals } = services
  part.setErrorHandler((error, request, reply) => {
    refusals.note(request.routeOptions.url ?? '', error)
    if (error instanceof RedirectedRefusal) return sendNextStep(reply, error.nextStep)
    if (wantsJson(request)) return sendError(request, reply, error, oauthFormat)
    return sendPage(services, request, reply, error)
  })
}

const wantsJson = ({ headers: { accept = '' } }: FastifyRequest): boolean =>
  accept.includes('application/json') && !accept.includes('text/html')

async function sendPage(
  { config, db }: Needs,
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
  const look = isAway ? unbranded(config) : await readLook(db.read, config).catch(() => unbranded(config))
  const locale = preferredLocale(request.headers['accept-language']) ?? DEFAULT_LOCALE
  return sendThenDrain(request, reply, renderErrorPage(look, locale, error))
}

/** How pages look while the database can't be asked. */
const unbranded = ({ rpName }: Config): Look => ({ name: rpName, accentColor: null, logoUrl: null })
