import { newPkce, REDIRECT_URI } from '../support/application.ts'
import type { Answer } from '../support/visitor.ts'
import type { Facts } from './facts.ts'
import { becomes, type Effect } from './ledger.ts'
import { pick } from './rounds.ts'
import type { Scene, Write } from './scene.ts'
import { credentialsOf } from './world.ts'

const liveTokens = (facts: Facts, answer: Answer): Effect[] => {
  const { access_token, refresh_token } = answer.json<{ access_token: string; refresh_token: string }>()
  return [access_token, refresh_token].map((token) => becomes(true, facts.isLiveToken(token)))
}

export const authorize: Write = async ({ world, facts, attempt }, { sessions, families }) => {
  const [cookie = ''] = sessions
  const { verifier, challenge } = newPkce()
  const query = new URLSearchParams({
    response_type: 'code',
    client_id: world.client.client_id,
    redirect_uri: REDIRECT_URI,
    scope: 'openid offline_access',
    code_challenge: challenge,
    code_challenge_method: 'S256',
  })
  const asked = await attempt(
    'authorization',
    302,
    () => world.ask('GET', `/oauth/authorize?${query.toString()}`, { cookie }),
    [],
  )
  if (!asked) return false
  let next = new URL(asked.headers.get('location') ?? '')
  if (next.pathname === '/consent') {
    const json = { ...Object.fromEntries(next.searchParams), approve: true }
    const approved = await attempt('consent', 200, () => world.ask('POST', '/oauth/approve', { cookie, json }), [])
    if (!approved) return false
    next = new URL(approved.json<{ redirectTo: string }>().redirectTo)
  }
  const form = {
    ...credentialsOf(world),
    grant_type: 'authorization_code',
    code: next.searchParams.get('code') ?? '',
    redirect_uri: REDIRECT_URI,
    code_verifier: verifier,
  }
  const issued = await attempt(
    'tokens for a code',
    200,
    () => world.ask('POST', '/oauth/token', { form }),
    [],
    (answer) => liveTokens(facts, answer),
  )
  if (!issued) return false
  const { access_token, refresh_token } = issued.json<{ access_token: string; refresh_token: string }>()
  families.push({ access: [access_token], refresh: refresh_token })
  return true
}

export const refresh: Write = async ({ world, facts, attempt, random }, { families }) => {
  const family = pick(random, families)
  if (!family) return true
  const form = { ...credentialsOf(world), grant_type: 'refresh_token', refresh_token: family.refresh }
  const issued = await attempt(
    'refreshed tokens',
    200,
    () => world.ask('POST', '/oauth/token', { form }),
    [becomes(false, facts.isLiveToken(family.refresh))],
    (answer) => liveTokens(facts, answer),
  )
  if (!issued) return false
  const { access_token, refresh_token } = issued.json<{ access_token: string; refresh_token: string }>()
  family.access.push(access_token)
  family.refresh = refresh_token
  return true
}

export const revokeAccessToken: Write = async ({ world, facts, attempt, random }, { families }) => {
  const token = pick(random, families)?.access.pop()
  if (token === undefined) return true
  return Boolean(
    await attempt(
      'revocation of an access token',
      200,
      () => world.ask('POST', '/oauth/revoke', { form: { ...credentialsOf(world), token } }),
      [becomes(false, facts.isLiveToken(token))],
    ),
  )
}

/** With it goes everything that hangs on the same authorization. */
export const revokeRefreshToken: Write = async ({ world, facts, attempt }, { families }) => {
  const family = families.shift()
  if (!family) return true
  return Boolean(
    await attempt(
      'revocation of a refresh token',
      200,
      () => world.ask('POST', '/oauth/revoke', { form: { ...credentialsOf(world), token: family.refresh } }),
      [family.refresh, ...family.access].map((token) => becomes(false, facts.isLiveToken(token))),
    ),
  )
}

/** The application acts for itself: it gets a token, and gives back one it got before. */
export async function useOwnToken({ world, facts, attempt }: Scene, held: string[]): Promise<void> {
  const form = { ...credentialsOf(world), grant_type: 'client_credentials' }
  const issued = await attempt(
    'token for an application',
    200,
    () => world.ask('POST', '/oauth/token', { form }),
    [],
    (answer) => [becomes(true, facts.isLiveToken(answer.json<{ access_token: string }>().access_token))],
  )
  if (issued) held.push(issued.json<{ access_token: string }>().access_token)
  const token = held.length > 2 ? held.shift() : undefined
  if (token === undefined) return
  await attempt(
    'revocation of an application’s token',
    200,
    () => world.ask('POST', '/oauth/revoke', { form: { ...credentialsOf(world), token } }),
    [becomes(false, facts.isLiveToken(token))],
  )
}
