import type { FastifyReply, FastifyRequest } from 'fastify'
import { refuse } from '../../errors.ts'
import { sourceOf } from '../../http/request-source.ts'
import { currentlySignedIn } from '../../sessions/guards.ts'
import { clearSessionCookie } from '../../sessions/session-cookie.ts'
import { signOut } from '../../sessions/sign-out.ts'
import { withQuery } from '../clients/redirect-uri.ts'
import { LOGOUT_PARAMETERS, onlyKnown } from '../contracts.ts'
import { type Parameters, type ReadParameters, refuseOversized, refuseRepeated } from '../parameters.ts'
import type { Provider } from '../provider.ts'

/**
 * OpenID Connect RP-Initiated Logout 1.0. An ID token of the signed-in user shows that the application knows whom it is
 * signing out; anybody else could have made the link, so then the dashboard asks the user first.
 */
export async function logOut(
  provider: Provider,
  request: FastifyRequest,
  reply: FastifyReply,
  given: ReadParameters,
): Promise<string> {
  const { id_token_hint: hint, post_logout_redirect_uri: uri, client_id: clientId, state } = readLogout(given)
  const { dashboardOrigin } = provider.config
  if (hint === undefined) return `${dashboardOrigin}/logout`
  const { sub, aud } = readHint(provider, hint)
  if (clientId !== undefined && clientId !== aud)
    refuse('invalid_request', 'The id_token_hint was not issued to this client_id.')
  if (uri !== undefined) await refuseForeignUri(provider, aud, uri)

  const who = await currentlySignedIn(provider, request)
  if (who && who.user.id !== sub) return `${dashboardOrigin}/logout`
  if (who) {
    await signOut(provider, who, sourceOf(provider.locate, request), aud)
    clearSessionCookie(provider.config, reply)
  }
  return uri === undefined ? `${dashboardOrigin}/login` : withQuery(uri, { state })
}

/** What a logout request says, which is carried further by browsers like an authorization request. */
export function readLogout(given: ReadParameters): Parameters {
  refuseOversized(given)
  return onlyKnown(LOGOUT_PARAMETERS, refuseRepeated(given))
}

/** Its age does not matter: applications keep ID tokens for this long after they have expired (section 2). */
function readHint({ signingKeys, config }: Provider, hint: string): { sub: string; aud: string } {
  const claims = signingKeys.verify(hint)
  const { iss, sub, aud } = claims ?? {}
  if (iss !== config.baseUrl || typeof sub !== 'string' || typeof aud !== 'string')
    return refuse('invalid_request', 'The id_token_hint is not a token that was issued here.')
  return { sub, aud }
}

async function refuseForeignUri({ clients }: Provider, clientId: string, uri: string): Promise<void> {
  const client = await clients.find(clientId)
  if (!client?.post_logout_redirect_uris.includes(uri))
    refuse('invalid_request', 'The post_logout_redirect_uri is not one that this application has registered.')
}
