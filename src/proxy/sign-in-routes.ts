import { Type } from 'typebox'
import { AppError } from '../errors.ts'
import { failures, type Routes } from '../http/contracts.ts'
import { toAppError } from '../http/errors.ts'
import type { Provider } from '../oauth/provider.ts'
import { currentlySignedIn } from '../sessions/guards.ts'
import { noteRefusal } from './note-refusal.ts'
import { loginAddress } from './own-paths.ts'
import { sendRefusalPage } from './refusal-page.ts'
import { signInAtSite } from './sign-in-at-site.ts'
import { SiteRefusal } from './site-refusal.ts'

const Text = (maxLength: number) => Type.String({ maxLength })
const PATH = '/api/authz/sign-in'

/** Where a site sends browsers to sign in. */
export const siteSignInRoutes =
  (provider: Provider): Routes =>
  async (app) => {
    // A browser is here, not a program: every refusal is a page.
    app.setErrorHandler((thrown, request, reply) => {
      const error = toAppError(thrown)
      const shown = error.status === 400 ? new AppError('address_refused', error.message) : error
      if (shown.status >= 500) request.log.warn({ requestId: request.id, err: thrown }, 'A page could not be answered.')
      reply.refusalCode = shown.code
      if (shown.retryAfter !== undefined) void reply.header('retry-after', String(shown.retryAfter))
      const { host = '', to = '/' } = request.query as { host?: string; to?: string }
      const asked = {
        method: 'GET',
        host,
        path: to.split('?')[0] ?? '/',
        query: to.slice((to.split('?')[0] ?? '').length),
      }
      const isOfSite = shown instanceof SiteRefusal
      if (isOfSite) noteRefusal(provider.refusals, PATH, asked, shown)
      return sendRefusalPage(request, reply, shown, isOfSite ? loginAddress(asked, { account: 'another' }) : undefined)
    })

    app.get(
      PATH,
      {
        schema: {
          tags: ['Applications behind a proxy'],
          summary: 'Sign in at a site',
          description: 'A site sends browsers here. Goes on to the sign-in page, or back to the site with a code.',
          querystring: Type.Object({
            host: Text(300),
            state: Text(100),
            to: Text(4000),
            account: Type.Optional(Text(20)),
          }),
          response: {
            302: Type.Null({ description: 'To the sign-in page, or back to the site.' }),
            ...failures(403, 503),
          },
        },
      },
      async (request, reply) => {
        const signedIn = await currentlySignedIn(provider, request)
        return reply.redirect(await signInAtSite(provider, request.query, signedIn), 302)
      },
    )
  }
