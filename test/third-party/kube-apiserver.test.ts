import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { describe, test } from 'node:test'
import { createRemoteJWKSet, jwtVerify } from 'jose'
import { realProvider } from '../interop/provider.ts'
import { authorizationQuery, newPkce } from '../support/application.ts'
import { createOrganisation, type Organisation } from './organisation.ts'

const REDIRECT_URI = 'http://localhost:8000'
/** As in the catalogue: a public client for kubelogin, and everything in the ID token. */
const CLIENT = {
  clientType: 'public',
  redirectUris: [REDIRECT_URI, 'http://localhost:18000'],
  grantTypes: ['authorization_code', 'refresh_token'],
  idTokenClaims: 'full',
}

interface Settings {
  audience: string
  algorithms: string[]
}

/**
 * The user of an ID token by the rules of kube-apiserver: keys from the discovery document, issuer, audience, an accepted algorithm,
 * a confirmed address if the user name is one. It never asks userinfo.
 */
async function authenticate(issuer: string, token: string, { audience, algorithms }: Settings) {
  const discovery = (await (await fetch(`${issuer}/.well-known/openid-configuration`)).json()) as { jwks_uri: string }
  const keys = createRemoteJWKSet(new URL(discovery.jwks_uri))
  const { payload } = await jwtVerify(token, keys, { issuer, audience, algorithms })
  assert.equal(typeof payload['email'], 'string', 'the claim email is missing')
  assert.ok(payload['email_verified'] !== false, 'the address is not confirmed')
  assert.ok(Array.isArray(payload['groups']), 'the claim groups is missing')
  return { username: payload['email'], groups: payload['groups'].map((group) => `latchkey:${String(group)}`) }
}

interface Tokens {
  id_token: string
  refresh_token: string
}

/** What `kubectl oidc-login get-token` does: a public client with PKCE, and a redirect URL without a path. */
function startKubelogin(issuer: string, { application, newVisitor }: Organisation) {
  const { verifier, challenge } = newPkce()
  const url = `${issuer}/oauth/authorize?${authorizationQuery(
    { ...application, redirectUri: REDIRECT_URI },
    { verifier, challenge },
    { scope: 'openid email groups offline_access', nonce: 'a-nonce' },
  )}`
  const request = async (fields: Record<string, string>) => {
    const body = new URLSearchParams({ client_id: application.clientId, ...fields })
    const answer = await fetch(`${issuer}/oauth/token`, { method: 'POST', body })
    return (await answer.json()) as Tokens & { error?: string }
  }
  return {
    signIn: () => newVisitor().open(url),
    async getTokens(): Promise<Tokens> {
      const code = (await newVisitor().follow(url, REDIRECT_URI)).searchParams.get('code') ?? ''
      const redirect = { redirect_uri: REDIRECT_URI, code_verifier: verifier }
      return request({ grant_type: 'authorization_code', code, ...redirect })
    },
    refresh: (refreshToken: string) => request({ grant_type: 'refresh_token', refresh_token: refreshToken }),
  }
}

const { version } = JSON.parse(readFileSync(createRequire(import.meta.url).resolve('jose/package.json'), 'utf8')) as {
  version: string
}

describe(`an ID token for kube-apiserver, verified with jose ${version}`, () => {
  const provider = realProvider('sqlite')
  const settingsOf = ({ application }: Organisation, algorithm = 'ES256') => ({
    audience: application.clientId,
    algorithms: [algorithm],
  })

  for (const algorithm of ['ES256', 'RS256']) {
    test(`names the user and the groups, signed with ${algorithm}`, async () => {
      const { issuer } = provider()
      const settings = { ...CLIENT, id_token_signed_response_alg: algorithm }
      const organisation = await createOrganisation(provider(), '', settings)
      await organisation.confirmEmail()
      const { id_token: idToken } = await startKubelogin(issuer, organisation).getTokens()
      assert.deepEqual(await authenticate(issuer, idToken, settingsOf(organisation, algorithm)), {
        username: organisation.member.user.email,
        groups: [`latchkey:${organisation.group}`],
      })
    })
  }

  test('is refused with the wrong audience, the wrong algorithm, or an address that is not confirmed', async () => {
    const { issuer } = provider()
    const organisation = await createOrganisation(provider(), '', CLIENT)
    await organisation.confirmEmail()
    const { id_token: idToken } = await startKubelogin(issuer, organisation).getTokens()
    const settings = settingsOf(organisation)
    await assert.rejects(authenticate(issuer, idToken, { ...settings, audience: 'another' }), /unexpected "aud"/)
    await assert.rejects(authenticate(issuer, idToken, { ...settings, algorithms: ['RS256'] }), /alg/)
    const unconfirmed = await createOrganisation(provider(), '', CLIENT)
    const other = await startKubelogin(issuer, unconfirmed).getTokens()
    await assert.rejects(authenticate(issuer, other.id_token, settingsOf(unconfirmed)), /not confirmed/)
  })

  test('has no email address and no groups when the claims of the client are minimal', async () => {
    const { issuer } = provider()
    const organisation = await createOrganisation(provider(), '', { ...CLIENT, idTokenClaims: 'minimal' })
    const { id_token: idToken } = await startKubelogin(issuer, organisation).getTokens()
    await assert.rejects(authenticate(issuer, idToken, settingsOf(organisation)), /the claim email is missing/)
  })

  test('is not renewed when the role was taken away', async () => {
    const { issuer } = provider()
    const organisation = await createOrganisation(provider(), '', CLIENT)
    await organisation.confirmEmail()
    const kubelogin = startKubelogin(issuer, organisation)
    const { refresh_token: refreshToken } = await kubelogin.getTokens()
    await organisation.takeGroupAway()
    assert.equal((await kubelogin.refresh(refreshToken)).error, 'invalid_grant')
    assert.equal((await kubelogin.signIn()).url.pathname, '/no-access')
  })
})
