import { newPkce, REDIRECT_URI } from '../support/application.ts'
import type { Answer } from '../support/http-client.ts'
import type { Facts } from './facts.ts'
import { credentialsOf } from './installation.ts'
import { becomes, type Effect } from './ledger.ts'
import { pick } from './run-options.ts'
import type { WorkerContext, Write } from './worker-context.ts'

const liveTokens = (facts: Facts, answer: Answer): Effect[] => {
  const { access_token, refresh_token } = answer.json<{ access_token: string; refresh_token: string }>()
  return [access_token, refresh_token].map((token) => becomes(true, facts.isLiveToken(token)))
}

export const authorize: Write = async ({ installation, facts, attempt }, { sessions, families }) => {
  const [cookie = ''] = sessions
  const { verifier, challenge } = newPkce()
  const query = new URLSearchParams({
    response_type: 'code',
    client_id: installation.client.client_id,
    redirect_uri: REDIRECT_URI,
    scope: 'openid offline_access',
    code_challenge: challenge,
    code_challenge_method: 'S256',
  })
  const redirect = await attempt(
    'authorization',
    302,
    () => installation.send('GET', `/oauth/authorize?${query.toString()}`, { cookie }),
    [],
  )
  if (!redirect) return false
  let next = new URL(redirect.headers.get('location') ?? '')
  if (next.pathname === '/consent') {
    const json = { ...Object.fromEntries(next.searchParams), approve: true }
    const approved = await attempt(
      'consent',
      200,
      () => installation.send('POST', '/oauth/approve', { cookie, json }),
      [],
    )
    if (!approved) return false
    next = new URL(approved.json<{ redirectTo: string }>().redirectTo)
  }
  const form = {
    ...credentialsOf(installation),
    grant_type: 'authorization_code',
    code: next.searchParams.get('code') ?? '',
    redirect_uri: REDIRECT_URI,
    code_verifier: verifier,
  }
  const issued = await attempt(
    'tokens for a code',
    200,
    () => installation.send('POST', '/oauth/token', { form }),
    [],
    (answer) => liveTokens(facts, answer),
  )
  if (!issued) return false
  const { access_token, refresh_token } = issued.json<{ access_token: string; refresh_token: string }>()
  families.push({ access: [access_token], refresh: refresh_token })
  return true
}

export const refresh: Write = async ({ installation, facts, attempt, random }, { families }) => {
  const family = pick(random, families)
  if (!family) return true
  const form = { ...credentialsOf(installation), grant_type: 'refresh_token', refresh_token: family.refresh }
  const issued = await attempt(
    'refreshed tokens',
    200,
    () => installation.send('POST', '/oauth/token', { form }),
    [becomes(false, facts.isLiveToken(family.refresh))],
    (answer) => liveTokens(facts, answer),
  )
  if (!issued) return false
  const { access_token, refresh_token } = issued.json<{ access_token: string; refresh_token: string }>()
  family.access.push(access_token)
  family.refresh = refresh_token
  return true
}

export const revokeAccessToken: Write = async ({ installation, facts, attempt, random }, { families }) => {
  const token = pick(random, families)?.access.pop()
  if (token === undefined) return true
  return Boolean(
    await attempt(
      'revocation of an access token',
      200,
      () => installation.send('POST', '/oauth/revoke', { form: { ...credentialsOf(installation), token } }),
      [becomes(false, facts.isLiveToken(token))],
    ),
  )
}

/** Revoking a refresh token revokes all tokens of the same authorization. */
export const revokeRefreshToken: Write = async ({ installation, facts, attempt }, { families }) => {
  const family = families.shift()
  if (!family) return true
  return Boolean(
    await attempt(
      'revocation of a refresh token',
      200,
      () =>
        installation.send('POST', '/oauth/revoke', { form: { ...credentialsOf(installation), token: family.refresh } }),
      [family.refresh, ...family.access].map((token) => becomes(false, facts.isLiveToken(token))),
    ),
  )
}

/** The application gets a token for itself (client credentials), and revokes an earlier one. */
export async function useOwnToken({ installation, facts, attempt }: WorkerContext, held: string[]): Promise<void> {
  const form = { ...credentialsOf(installation), grant_type: 'client_credentials' }
  const issued = await attempt(
    'token for an application',
    200,
    () => installation.send('POST', '/oauth/token', { form }),
    [],
    (answer) => [becomes(true, facts.isLiveToken(answer.json<{ access_token: string }>().access_token))],
  )
  if (issued) held.push(issued.json<{ access_token: string }>().access_token)
  const token = held.length > 2 ? held.shift() : undefined
  if (token === undefined) return
  await attempt(
    'revocation of an application’s token',
    200,
    () => installation.send('POST', '/oauth/revoke', { form: { ...credentialsOf(installation), token } }),
    [becomes(false, facts.isLiveToken(token))],
  )
}
