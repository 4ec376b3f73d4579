import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { AppError } from '../../errors.ts'
import { sendThenDrain } from '../../http/drain-body.ts'
import { oauthFormat, sendError, toAppError } from '../../http/errors.ts'
import { escapeHtml } from '../../http/escape-html.ts'
import { levelOf } from '../../http/log.ts'
import type { Refusals } from '../refusals/refusals.ts'
import { RedirectedRefusal } from './authorization-request.ts'
import { sendNextStep } from './form-post.ts'

/** The page needs no scripts, images or other resources. */
const POLICY =
  "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

/**
 * Errors of endpoints that browsers navigate to. Some are reported to the application by a redirect; the others are shown
 * as a page, or as JSON to a program that accepts only that.
 */
export function showErrors(part: FastifyInstance, refusals: Refusals): void {
  part.setErrorHandler((error, request, reply) => {
    refusals.note('/oauth/authorize', error)
    if (error instanceof RedirectedRefusal) return sendNextStep(reply, error.nextStep)
    if (wantsJson(request)) return sendError(request, reply, error, oauthFormat)
    return sendPage(request, reply, error)
  })
}

const wantsJson = ({ headers: { accept = '' } }: FastifyRequest): boolean =>
  accept.includes('application/json') && !accept.includes('text/html')

function sendPage(request: FastifyRequest, reply: FastifyReply, thrown: unknown): FastifyReply {
  const error = toAppError(thrown)
  if (error.status >= 500) {
    request.log[levelOf(error.status)]({ requestId: request.id, err: thrown }, 'A page could not be answered.')
  }
  if (error.retryAfter !== undefined) void reply.header('retry-after', String(error.retryAfter))
  void reply
    .code(error.status)
    .header('content-security-policy', POLICY)
    .header('cache-control', 'no-store')
    .type('text/html; charset=utf-8')
  return sendThenDrain(request, reply, renderError(error))
}

const renderError = ({ message }: AppError): string => `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>This request can't be completed</title>
<style>body{font:1rem/1.5 system-ui,sans-serif;max-width:34rem;margin:4rem auto;padding:0 1.5rem;color-scheme:light dark}h1{font-size:1.4rem}</style>
<main>
<h1>This request can't be completed</h1>
<p>${escapeHtml(message)}</p>
<p>Nothing was shared with the application. Go back to it and try again; if this keeps happening, tell whoever runs it.</p>
</main>
</html>
`
