import assert from 'node:assert/strict'
import { newPkce, type Pkce, REDIRECT_URI } from './application.ts'
import { type Answer, type RequestContent, sendRequest } from './http-client.ts'
import { until } from './replicas.ts'

/** An application, and the session of somebody who uses it, at a service that runs in other processes. */
export interface RemoteUse {
  client: { client_id: string; client_secret: string }
  cookie: string
}

export interface RemoteTokens {
  access_token: string
  refresh_token: string
}

class Unavailable extends Error {}

/** Sends a request, and asserts the status of the answer. */
async function send(status: number, address: string, method: string, path: string, content: RequestContent) {
  const answer = await sendRequest(address, method, path, content)
  if (answer.status === 503) throw new Unavailable()
  assert.equal(answer.status, status, `${answer.to}: ${answer.body}`)
  return answer
}

/** Does the work again, from its beginning, while the service answers 503, for ten seconds at most. */
export async function throughUnavailability<T>(work: () => Promise<T>): Promise<T> {
  let result: { value: T } | undefined
  await until(async () => {
    try {
      result = { value: await work() }
    } catch (error) {
      if (!(error instanceof Unavailable)) throw error
    }
    return result !== undefined
  }, 10_000)
  return (result as { value: T }).value
}

/** Goes from the authorization request to the code. Consents if the service asks for it. */
export async function authorizeAt(
  address: string,
  { client, cookie }: RemoteUse,
  { challenge }: Pkce,
): Promise<string> {
  const query = new URLSearchParams({
    response_type: 'code',
    client_id: client.client_id,
    redirect_uri: REDIRECT_URI,
    scope: 'openid offline_access',
    prompt: 'consent',
    code_challenge: challenge,
    code_challenge_method: 'S256',
  })
  const redirect = await send(302, address, 'GET', `/oauth/authorize?${query.toString()}`, { cookie })
  const consent = new URL(redirect.headers.get('location') ?? '')
  assert.equal(consent.pathname, '/consent', consent.href)
  const json = { ...Object.fromEntries(consent.searchParams), approve: true }
  const approved = await send(200, address, 'POST', '/oauth/approve', { cookie, json })
  const code = new URL(approved.json<{ redirectTo: string }>().redirectTo).searchParams.get('code')
  assert.ok(code, approved.body)
  return code
}

const requestTokens = (address: string, { client }: RemoteUse, fields: Record<string, string>): Promise<Answer> =>
  send(200, address, 'POST', '/oauth/token', { form: { ...client, ...fields } })

export async function redeemAt(
  address: string,
  use: RemoteUse,
  code: string,
  { verifier }: Pkce,
): Promise<RemoteTokens> {
  const fields = { grant_type: 'authorization_code', code, redirect_uri: REDIRECT_URI, code_verifier: verifier }
  return (await requestTokens(address, use, fields)).json()
}

export const refreshAt = async (
  address: string,
  use: RemoteUse,
  { refresh_token }: RemoteTokens,
): Promise<RemoteTokens> => (await requestTokens(address, use, { grant_type: 'refresh_token', refresh_token })).json()

export async function isLiveAt(address: string, { client }: RemoteUse, token: string): Promise<boolean> {
  const answer = await send(200, address, 'POST', '/oauth/introspect', { form: { ...client, token } })
  return answer.json<{ active: boolean }>().active
}

/** Authorizes, introspects and refreshes. With two addresses each step is done at the other than the step before. */
export async function useApplication(address: string, use: RemoteUse, other = address): Promise<RemoteTokens> {
  const pkce = newPkce()
  const code = await authorizeAt(address, use, pkce)
  const tokens = await redeemAt(other, use, code, pkce)
  for (const each of [address, other]) assert.equal(await isLiveAt(each, use, tokens.access_token), true, each)
  const refreshed = await refreshAt(address, use, tokens)
  for (const each of [other, address]) assert.equal(await isLiveAt(each, use, refreshed.access_token), true, each)
  return refreshAt(other, use, refreshed)
}
