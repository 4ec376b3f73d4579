import { hash } from 'node:crypto'
import type { FastifyReply } from 'fastify'
import { refuse } from '../../errors.ts'
import { escapeHtml } from '../../platform/http/escape-html.ts'
import { DEFAULT_LOCALE, type Locale, preferredLocale } from '../../vocabulary/locales.ts'
import { CODE_MS } from '../authorizations/lifetimes.ts'
import type { Provider } from '../provider.ts'
import { authorizationErrors } from './authorization-errors.ts'
import type { FormPost, NextStep } from './authorization-request.ts'
import { markAnswered } from './pending-request.ts'

const SCRIPT = 'document.forms[0].submit()'
const SCRIPT_HASH = hash('sha256', SCRIPT, 'base64')

/**
 * Only the one script runs. The form may be sent to every address of the scheme of the redirect URL: browsers apply
 * `form-action` to redirects that follow as well, and where the application sends the browser then is its own business.
 */
const policyFor = (postTo: string): string =>
  `default-src 'none'; script-src 'sha256-${SCRIPT_HASH}'; form-action ${new URL(postTo).protocol}; base-uri 'none'; frame-ancestors 'none'`

/** Sends the browser on: by a redirect, or by a page whose form is sent at once. */
export function sendNextStep(reply: FastifyReply, step: NextStep): FastifyReply {
  if ('redirectTo' in step) return reply.redirect(step.redirectTo, 302)
  return reply
    .code(200)
    .header('content-security-policy', policyFor(step.postTo))
    .header('cache-control', 'no-store')
    .type('text/html; charset=utf-8')
    .send(renderForm(step, preferredLocale(reply.request.headers['accept-language']) ?? DEFAULT_LOCALE))
}

const TEXTS = {
  en: { title: 'Back to the application', button: 'Continue to the application' },
  de: { title: 'Zurück zur Anwendung', button: 'Weiter zur Anwendung' },
}

/** Seen for a moment only. Its colours are those of the browser, so that a dark one does not flash white. */
const renderForm = ({ postTo, fields }: FormPost, locale: Locale): string => `<!doctype html>
<html lang="${locale}">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${TEXTS[locale].title}</title>
<form method="post" action="${escapeHtml(postTo)}">
${Object.entries(fields)
  .map(([name, value]) => `<input type="hidden" name="${escapeHtml(name)}" value="${escapeHtml(value)}">`)
  .join('\n')}
<noscript><button>${TEXTS[locale].button}</button></noscript>
</form>
<script>${SCRIPT}</script>
</html>
`

const PURPOSE = 'authorization response as a form'
export const FORM_POST_PATH = '/oauth/authorize/response'

interface PackedForm extends FormPost {
  id: string
  askedAt: number
}

/**
 * The URL that the consent page sends the browser to. A form can't be given as a URL, so that one is an address here which
 * answers with the form, once. The code in it is encrypted, because URLs end up in histories and logs.
 */
export function addressOf(provider: Pick<Provider, 'config' | 'vault' | 'random' | 'now'>, step: NextStep): string {
  if ('redirectTo' in step) return step.redirectTo
  const packed: PackedForm = { ...step, id: provider.random.text(32), askedAt: provider.now() }
  const response = provider.vault.seal(PURPOSE, Buffer.from(JSON.stringify(packed)))
  return `${provider.config.baseUrl}${FORM_POST_PATH}?${new URLSearchParams({ response }).toString()}`
}

/** Reads what `addressOf` has packed. It works once, for as long as its code does. */
export async function takeFormPost(
  { db, vault, now }: Pick<Provider, 'db' | 'vault' | 'now'>,
  response: string,
): Promise<FormPost> {
  const { id, askedAt, ...form } = unpack(vault, response) ?? refuseAnswered()
  const expiresAt = askedAt + CODE_MS
  if (expiresAt <= now()) return refuseAnswered()
  return (await db.transaction((trx) => markAnswered(trx, { id, expiresAt }))) ? form : refuseAnswered()
}

function unpack(vault: Provider['vault'], response: string): PackedForm | undefined {
  try {
    return JSON.parse(vault.open(PURPOSE, response).toString()) as PackedForm
  } catch {
    return undefined
  }
}

const refuseAnswered = () => refuse(authorizationErrors.answer_sent_already())
