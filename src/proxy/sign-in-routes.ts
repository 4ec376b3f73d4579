import { Type } from 'typebox'
import { AppError } from '../errors.ts'
import { currentlySignedIn } from '../identity/sessions/guards.ts'
import type { Provider } from '../oauth/provider.ts'
import { type Routes, failures } from '../platform/http/contracts.ts'
import { latchkeyFormat, sendError, toAppError } from '../platform/http/errors.ts'
import { sendDenialPage } from './denial-page.ts'
import { isNavigation } from './proxy-request.ts'
import { loginAddress } from './reserved-paths.ts'
import { type SiteSignIn, signInAtSite } from './sign-in-at-site.ts'
import { SiteDenial, noteDenial } from './site-denial.ts'

const Text = (maxLength: number) => Type.String({ maxLength })
const PATH = '/api/authz/sign-in'

/** Where a site sends browsers to sign in. */
export const siteSignInRoutes =
  (provider: Provider): Routes =>
  async (app) => {
    // A browser gets a page; whoever accepts none gets JSON.
    app.setErrorHandler((thrown, request, reply) => {
      const error = toAppError(thrown)
      const shown = error.status === 400 ? new AppError('address_refused', error.message) : error
      const isOfSite = shown instanceof SiteDenial
      // Before the parameters were checked they may be anything.
      const { host, to } = isOfSite ? (request.query as SiteSignIn) : { host: '', to: '/' }
      const [path = '/'] = to.split('?')
      const asked = { method: 'GET', host, path, query: to.slice(path.length) }
      if (isOfSite) noteDenial(provider.problems, PATH, asked, shown)
      if (shown.status !== 403 || !isNavigation(asked, request))
        return sendError(request, reply, shown.status >= 500 ? thrown : shown, latchkeyFormat)
      reply.refusalCode = shown.code
      return sendDenialPage(request, reply, shown, isOfSite ? loginAddress(asked, { account: 'another' }) : undefined)
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
