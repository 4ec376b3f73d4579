import { refuse } from '../../errors.ts'
import { digest } from '../../platform/crypto/digest.ts'
import { findCode, markCodeRevoked } from '../authorizations/code-store.ts'
import { encodeQuery } from '../authorize/sign-in-reason.ts'
import { type KnownClient, refuseUnknownClient } from '../clients/client.ts'
import { trialUri } from '../clients/redirect-uri.ts'
import { verifierMatches } from '../protocol/pkce.ts'
import type { Provider } from '../provider.ts'
import { type Introspection, introspect } from '../tokens/introspect-and-revoke.ts'
import { redeemAuthorization } from '../tokens/issue-tokens.ts'
import { readUserinfo } from '../tokens/userinfo.ts'
import { administrationErrors } from './administration-errors.ts'

export interface Trial {
  /** The authorization request that the browser opens. */
  authorizeUrl: string
  state: string
  codeVerifier: string
}

/** Begins a sign-in to an application that ends on a page of the dashboard instead of the application. */
export async function beginTrial(provider: Provider, clientId: string): Promise<Trial> {
  const { config, random } = provider
  const client = await requireCodes(provider, clientId)
  const [state, codeVerifier] = [random.text(32), random.text(32)]
  const query = encodeQuery({
    response_type: 'code',
    client_id: clientId,
    redirect_uri: trialUri(config, clientId),
    scope: client.scopes.join(' '),
    state,
    nonce: random.text(16),
    code_challenge: digest(codeVerifier),
    code_challenge_method: 'S256',
  })
  return { authorizeUrl: `/oauth/authorize?${query}`, state, codeVerifier }
}

/** What the application would have got. */
export interface TrialResult {
  idToken: { header: Record<string, unknown>; claims: Record<string, unknown> } | null
  userinfo: Record<string, unknown> | null
  introspection: Introspection
}

interface TrialAnswer {
  clientId: string
  /** Who began the trial: it shows nobody else's claims. */
  userId: string
  code: string
  codeVerifier: string
}

/** Exchanges the code of a trial, reads what its tokens tell, and revokes them. They never leave the server. */
export async function finishTrial(provider: Provider, answer: TrialAnswer): Promise<TrialResult> {
  const { config, db, now } = provider
  const { clientId, userId, code, codeVerifier } = answer
  const client = await requireCodes(provider, clientId)
  const codeHash = digest(code)
  const found = await findCode(db.read, codeHash, now())
  const isOfTrial =
    found?.clientId === clientId && found.userId === userId && found.redirectUri === trialUri(config, clientId)
  if (!isOfTrial || found.revokedAt !== null || found.consumedAt !== null || found.expiresAt <= now())
    return refuseTrial()
  if (!verifierMatches(codeVerifier, found.challenge)) return refuseTrial()
  const tokens = (await redeemAuthorization(provider, client, { ...found, codeHash })) ?? refuseTrial()
  try {
    const { id_token: idToken, access_token: accessToken } = tokens
    return {
      idToken: idToken === undefined ? null : decode(idToken),
      userinfo: idToken === undefined ? null : await readUserinfo(provider, accessToken),
      introspection: await introspect(provider, client, accessToken),
    }
  } finally {
    await db.transaction((trx) => markCodeRevoked(trx, codeHash, now()))
  }
}

const refuseTrial = (): never => refuse(administrationErrors.trial_finished())

async function requireCodes({ clients }: Provider, clientId: string): Promise<KnownClient> {
  const client = (await clients.find(clientId)) ?? refuseUnknownClient()
  if (client.disabled) throw administrationErrors.application_turned_off_for_trial()
  if (!client.grantTypes.includes('authorization_code')) throw administrationErrors.application_without_codes()
  return client
}

function decode(jws: string) {
  const [header, claims] = jws
    .split('.', 2)
    .map((part) => JSON.parse(Buffer.from(part, 'base64url').toString()) as Record<string, unknown>)
  return { header: header ?? {}, claims: claims ?? {} }
}
