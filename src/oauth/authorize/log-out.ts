import { signOut } from '../../identity/sessions/end-sessions.ts'
import type { SignedIn } from '../../identity/sessions/session.ts'
import type { RequestSource } from '../../platform/http/request-source.ts'
import { withQuery } from '../clients/redirect-uri.ts'
import { ClientError, withoutQuery } from '../problems/diagnosed-error.ts'
import { LOGOUT_PARAMETERS, pickKnown } from '../protocol/contracts.ts'
import { type Parameters, type ReadParameters, refuseOversized, refuseRepeated } from '../protocol/parameters.ts'
import { protocolErrors } from '../protocol/protocol-errors.ts'
import type { Provider } from '../provider.ts'
import { authorizationErrors } from './authorization-errors.ts'
import { readIdTokenHint } from './id-token-hint.ts'

/** A logout request that has passed every check. */
export interface LogoutRequest {
  /** The user and the application of the ID token that came as a hint. */
  hint: { sub: string; aud: string } | undefined
  redirectUri: string | undefined
  state: string | undefined
}

interface LogOutContext {
  signedIn: SignedIn | undefined
  source: RequestSource
}

/**
 * OpenID Connect RP-Initiated Logout 1.0. An ID token of the signed-in user shows that the application knows this user.
 * Without it any page could have made the link, so the dashboard asks the user first. Returns where the browser goes, and
 * whether the session was ended.
 */
export async function logOut(
  provider: Provider,
  { hint, redirectUri, state }: LogoutRequest,
  { signedIn, source }: LogOutContext,
): Promise<{ redirectTo: string; signedOut: boolean }> {
  const { dashboardOrigin } = provider.config
  if (!hint || (signedIn && signedIn.user.id !== hint.sub))
    return { redirectTo: `${dashboardOrigin}/logout`, signedOut: false }
  if (signedIn) await signOut(provider, signedIn, source, 'signed_out_by_application', hint.aud)
  const redirectTo = redirectUri === undefined ? `${dashboardOrigin}/login` : withQuery(redirectUri, { state })
  return { redirectTo, signedOut: signedIn !== undefined }
}

/** The known parameters. A browser may have to send them again, so their size is limited. */
export function readLogoutParameters(given: ReadParameters): Parameters {
  refuseOversized(given)
  return pickKnown(LOGOUT_PARAMETERS, refuseRepeated(given))
}

/** Without a hint the other parameters have no effect, and are not checked. */
export async function readLogoutRequest(provider: Provider, given: ReadParameters): Promise<LogoutRequest> {
  const parameters = readLogoutParameters(given)
  const { id_token_hint: idToken, post_logout_redirect_uri: redirectUri, client_id: clientId, state } = parameters
  if (idToken === undefined) return { hint: undefined, redirectUri, state }
  const hint = await readHint(provider, idToken)
  if (clientId !== undefined && clientId !== hint.aud) throw authorizationErrors.id_token_hint_of_other_client()
  if (redirectUri !== undefined) await refuseUnregisteredUri(provider, hint.aud, redirectUri)
  return { hint, redirectUri, state }
}

async function readHint(provider: Provider, idToken: string): Promise<{ sub: string; aud: string }> {
  const { sub, aud } = (await readIdTokenHint(provider, idToken)) ?? {}
  if (sub === undefined || typeof aud !== 'string') throw protocolErrors.id_token_hint_unknown()
  return { sub, aud }
}

async function refuseUnregisteredUri({ clients }: Provider, clientId: string, uri: string): Promise<void> {
  const client = await clients.find(clientId)
  if (client?.post_logout_redirect_uris.includes(uri)) return
  throw new ClientError(clientId, authorizationErrors.logout_uri_not_registered(), {
    hint: 'Register this address here if it is really that of the application; every character counts.',
    sent: withoutQuery(uri),
    expected: client?.post_logout_redirect_uris.map(withoutQuery).join(' '),
  })
}
