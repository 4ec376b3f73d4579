import { createHash, randomBytes } from 'node:crypto'
import { Agent, request } from 'node:http'
import type { Prepared } from './service.ts'

/** One request of a benchmark; `worker` tells apart those that run at once. */
export type Case = (worker: number) => Promise<void>

interface Answer {
  status: number
  location: string
  body: string
}

const REDIRECT_URI = 'https://app.example/cb'
const FORM = 'application/x-www-form-urlencoded'

/** The paths that applications take most, as they take them: over HTTP, by keep-alive connections. */
export async function oauthCases(prepared: Prepared, workers: number): Promise<Record<string, Case>> {
  const ask = createAsk(new URL(prepared.address), workers)
  const basic = `Basic ${Buffer.from(`${prepared.clientId}:${prepared.clientSecret}`).toString('base64')}`
  const cookie = `session=${prepared.session}`
  const verifier = randomBytes(32).toString('base64url')
  const challenge = createHash('sha256').update(verifier).digest('base64url')

  const query = (scope: string) => ({
    response_type: 'code',
    client_id: prepared.clientId,
    redirect_uri: REDIRECT_URI,
    scope,
    code_challenge: challenge,
    code_challenge_method: 'S256',
  })
  const post = (path: string, fields: Record<string, string>) =>
    ask('POST', path, { 'content-type': FORM, authorization: basic }, new URLSearchParams(fields).toString())
  const signIn = async (scope: string) => {
    const { location } = await ask('GET', `/oauth/authorize?${new URLSearchParams(query(scope)).toString()}`, {
      cookie,
    })
    const code = new URL(location).searchParams.get('code') ?? ''
    const fields = { grant_type: 'authorization_code', code, redirect_uri: REDIRECT_URI, code_verifier: verifier }
    const { body } = await post('/oauth/token', fields)
    return JSON.parse(body) as { access_token: string; refresh_token: string }
  }

  const all = 'openid profile email offline_access'
  await ask('POST', '/oauth/approve', { cookie, 'content-type': 'application/json' }, JSON.stringify(query(all)))
  const { access_token: accessToken } = await signIn(all)
  const refreshTokens: string[] = []
  for (let at = 0; at < workers; at++) refreshTokens.push((await signIn('openid offline_access')).refresh_token)

  return {
    discovery: async () => void (await ask('GET', '/.well-known/openid-configuration', {})),
    'client credentials': async () =>
      void (await post('/oauth/token', { grant_type: 'client_credentials', scope: 'reports' })),
    introspection: async () => void (await post('/oauth/introspect', { token: accessToken })),
    userinfo: async () => void (await ask('GET', '/oauth/userinfo', { authorization: `Bearer ${accessToken}` })),
    refresh: async (worker) => {
      const fields = { grant_type: 'refresh_token', refresh_token: refreshTokens[worker] ?? '' }
      const { body } = await post('/oauth/token', fields)
      refreshTokens[worker] = (JSON.parse(body) as { refresh_token: string }).refresh_token
    },
    'code flow': async () => void (await signIn('openid')),
  }
}

function createAsk({ hostname, port }: URL, maxSockets: number) {
  const agent = new Agent({ keepAlive: true, maxSockets })
  return (method: string, path: string, headers: Record<string, string>, body = ''): Promise<Answer> =>
    new Promise((resolve, reject) => {
      const length = body === '' ? {} : { 'content-length': Buffer.byteLength(body) }
      const sent = request({ hostname, port, method, path, agent, headers: { ...headers, ...length } }, (answer) => {
        let text = ''
        answer.setEncoding('utf8')
        answer.on('data', (chunk: string) => (text += chunk))
        answer.on('end', () => {
          const { statusCode: status = 0, headers } = answer
          if (status >= 400) reject(new Error(`${method} ${path}: ${status} ${text}`))
          else resolve({ status, location: headers.location ?? '', body: text })
        })
      })
      sent.on('error', reject)
      sent.end(body)
    })
}
