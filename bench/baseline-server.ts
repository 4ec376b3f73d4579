import { generateKeyPairSync, hash, randomFillSync, sign, timingSafeEqual } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { parse } from 'node:querystring'
import { answerTogether } from '../src/platform/http/answer-together.ts'
import { openBaselineStorage } from './baseline-storage.ts'
import { type Fixture, ISSUER } from './fixture.ts'

/**
 * The baseline: the operations of the benchmark on bare `node:http`, with only the work that can't be avoided. It has no
 * framework, no schemas, no log, and no checks beyond those that find the right rows. Never use it as a service.
 *
 *   node bench/baseline-server.ts <port> <database file> <fixture as JSON> [batched]
 */
const [, , port = '0', file = '', text = '{}', batched] = process.argv
const { clientId, clientSecret } = JSON.parse(text) as Fixture
const storage = openBaselineStorage(file)

const HOUR = 3_600_000
const MONTH = 30 * 24 * HOUR
const digest = (secret: string) => hash('sha256', secret, 'base64url')
const secretHash = hash('sha256', clientSecret, 'buffer')

const TOKEN = `select t.client_id, t.scope, t.issued_at, t.expires_at, u.id as user_id, u.email, u.email_verified,
  u.display_name, u.given_name, u.family_name, u.preferred_username
  from oauth_access_tokens t join oauth_clients c on c.client_id = t.client_id
  left join oauth_authorization_codes a on a.code_hash = t.code_hash left join users u on u.id = a.user_id
  where t.token_hash = ? and t.expires_at > ? and (t.code_hash is null or (a.revoked_at is null and u.disabled_at is null))`
const SESSION = `select u.id, u.email, u.preferred_username, s.created_at, s.amr,
  (select group_concat(r.name) from user_roles ur join roles r on r.id = ur.role_id where ur.user_id = u.id) as roles,
  (select group_concat(distinct p.permission) from user_roles ur join role_permissions p on p.role_id = ur.role_id
   where ur.user_id = u.id) as permissions
  from sessions s join users u on u.id = s.user_id where s.token_hash = ? and s.expires_at > ? and u.disabled_at is null`
const CODE = `select a.user_id, a.code_challenge, a.scope, a.auth_time, a.acr, a.amr, a.redirect_uri, a.expires_at
  from oauth_authorization_codes a join users u on u.id = a.user_id
  where a.code_hash = ? and a.consumed_at is null and a.revoked_at is null and u.disabled_at is null`
const REFRESH = `select t.code_hash, t.parent_hash, t.scope, a.user_id, a.auth_time, a.acr, a.amr
  from oauth_refresh_tokens t join oauth_authorization_codes a on a.code_hash = t.code_hash
  join users u on u.id = a.user_id where t.token_hash = ? and t.expires_at > ? and t.used_at is null
  and a.revoked_at is null and u.disabled_at is null`

const findToken = storage.read(TOKEN)
const findSession = storage.read(SESSION)
const findGrant = storage.read('select scopes from oauth_grants where user_id = ? and client_id = ?')
const findCode = storage.read(CODE)
const findRefresh = storage.read(REFRESH)
const addToken = storage.prepareWrite(`insert into oauth_access_tokens
  (token_hash, code_hash, client_id, scope, issued_at, expires_at) values (?, ?, ?, ?, ?, ?)`)
const addRefresh = storage.prepareWrite(`insert into oauth_refresh_tokens
  (token_hash, code_hash, parent_hash, scope, issued_at, expires_at) values (?, ?, ?, ?, ?, ?)`)
const addCode = storage.prepareWrite(`insert into oauth_authorization_codes
  (code_hash, user_id, client_id, redirect_uri, code_challenge, scope, auth_time, acr, amr, created_at, expires_at)
  values (?, ?, ?, ?, ?, ?, ?, '1', ?, ?, ?)`)
const useCode = storage.prepareWrite(
  'update oauth_authorization_codes set consumed_at = ?, expires_at = ? where code_hash = ? and consumed_at is null',
)
const useRefresh = storage.prepareWrite(`update oauth_refresh_tokens
  set used_at = case when token_hash = ? then ? else used_at end,
  successor_used_at = case when token_hash = ? then successor_used_at else ? end
  where (token_hash = ? and used_at is null) or token_hash = ?`)

const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
const KEY = { key: privateKey, dsaEncoding: 'ieee-p1363' } as const
const HEADER = Buffer.from(JSON.stringify({ alg: 'ES256', typ: 'JWT', kid: 'bench' })).toString('base64url')
const jwks = JSON.stringify({ keys: [{ ...publicKey.export({ format: 'jwk' }), kid: 'bench', alg: 'ES256' }] })
// As long as Latchkey's document, so that both send the same number of bytes.
const discovery = JSON.stringify({ issuer: ISSUER, filling: 'x'.repeat(1900) })

const pool = Buffer.allocUnsafeSlow(16 * 1024)
let used = pool.length
function newToken(prefix: string): string {
  if (used === pool.length) {
    randomFillSync(pool)
    used = 0
  }
  used += 32
  return prefix + pool.toString('base64url', used - 32, used)
}

interface Authorization {
  userId: string
  authTime: number
  acr: string
  amr: string
}

function idToken({ userId, authTime, acr, amr }: Authorization, accessToken: string): string {
  const iat = Math.floor(Date.now() / 1000)
  const at_hash = hash('sha256', accessToken, 'buffer').subarray(0, 16).toString('base64url')
  const claims = { iss: ISSUER, sub: userId, aud: clientId, iat, exp: iat + 3600, auth_time: authTime }
  const payload = JSON.stringify({ ...claims, acr, amr: amr.split(' '), at_hash })
  const content = `${HEADER}.${Buffer.from(payload).toString('base64url')}`
  return `${content}.${sign('sha256', Buffer.from(content), KEY).toString('base64url')}`
}

type Row = Record<string, string | number>

const authorizationOf = (row: Row): Authorization => ({
  userId: row['user_id'] as string,
  authTime: row['auth_time'] as number,
  acr: row['acr'] as string,
  amr: row['amr'] as string,
})

type Form = Record<string, string | undefined>

function authenticated(request: IncomingMessage): boolean {
  const text = Buffer.from((request.headers.authorization ?? '').slice('Basic '.length), 'base64').toString()
  const colon = text.indexOf(':')
  return (
    text.slice(0, colon) === clientId && timingSafeEqual(hash('sha256', text.slice(colon + 1), 'buffer'), secretHash)
  )
}

async function issueTokens(request: IncomingMessage, form: Form): Promise<object | undefined> {
  if (!authenticated(request)) return undefined
  const now = Date.now()
  const token = newToken('at_')
  const answer = { access_token: token, token_type: 'Bearer', expires_in: 3600 }
  const add = (codeHash: string | null, scope: string) =>
    addToken(digest(token), codeHash, clientId, scope, now, now + HOUR)
  if (form['grant_type'] === 'client_credentials') {
    await storage.write(add(null, form['scope'] ?? ''))
    return { ...answer, scope: form['scope'] }
  }
  if (form['grant_type'] === 'refresh_token') {
    const old = digest(form['refresh_token'] ?? '')
    const row = findRefresh(old, now) as Row | undefined
    if (!row) return undefined
    const next = newToken('rt_')
    const [codeHash, scope] = [row['code_hash'] as string, row['scope'] as string]
    const refresh = addRefresh(digest(next), codeHash, old, scope, now, now + MONTH)
    const use = useRefresh(old, now, old, now, old, row['parent_hash'] ?? null)
    const stored = storage.write(use, add(codeHash, scope), refresh)
    const id_token = idToken(authorizationOf(row), token)
    return (await stored) > 0 ? { ...answer, refresh_token: next, id_token, scope } : undefined
  }
  const codeHash = digest(form['code'] ?? '')
  const row = findCode(codeHash) as Row | undefined
  if (!row || row['redirect_uri'] !== form['redirect_uri'] || Number(row['expires_at']) < now) return undefined
  if (digest(form['code_verifier'] ?? '') !== row['code_challenge']) return undefined
  const scope = row['scope'] as string
  const next = scope.includes('offline_access') ? newToken('rt_') : undefined
  const refresh = next === undefined ? [] : [addRefresh(digest(next), codeHash, null, scope, now, now + MONTH)]
  const stored = storage.write(useCode(now, now + MONTH, codeHash), add(codeHash, scope), ...refresh)
  const id_token = idToken(authorizationOf(row), token)
  return (await stored) === 1 ? { ...answer, refresh_token: next, id_token, scope } : undefined
}

function introspect(request: IncomingMessage, { token = '' }: Form): object | undefined {
  if (!authenticated(request)) return undefined
  const row = findToken(digest(token), Date.now()) as Row | undefined
  if (!row) return { active: false }
  const { scope, client_id, preferred_username: username, user_id: sub } = row
  const [exp, iat] = [Math.floor(Number(row['expires_at']) / 1000), Math.floor(Number(row['issued_at']) / 1000)]
  const about = { scope, client_id, username, token_type: 'Bearer', exp, iat }
  return { active: true, ...about, sub: sub ?? client_id, aud: client_id, iss: ISSUER }
}

function userinfo(request: IncomingMessage): object | undefined {
  const row = findToken(digest((request.headers.authorization ?? '').slice('Bearer '.length)), Date.now())
  if (!row) return undefined
  const { user_id: sub, display_name: name, given_name, family_name, preferred_username, email } = row
  return { sub, name, given_name, family_name, preferred_username, email, email_verified: row['email_verified'] === 1 }
}

const sessionOf = (request: IncomingMessage) =>
  findSession(digest((request.headers.cookie ?? '').slice('session='.length)), Date.now()) as Row | undefined

async function authorize(request: IncomingMessage, query: Form): Promise<string | undefined> {
  const session = sessionOf(request)
  if (!session || query['client_id'] !== clientId) return undefined
  const { id, created_at: since, amr } = session as { id: string; created_at: number; amr: string }
  const granted = JSON.parse((findGrant(id, clientId)?.['scopes'] as string | undefined) ?? '[]') as string[]
  const scope = query['scope'] ?? ''
  if (!scope.split(' ').every((each) => granted.includes(each))) return undefined
  const code = newToken('ac_')
  const [redirectUri, challenge, now] = [query['redirect_uri'] ?? '', query['code_challenge'] ?? '', Date.now()]
  const at = Math.floor(since / 1000)
  await storage.write(addCode(digest(code), id, clientId, redirectUri, challenge, scope, at, amr, now, now + HOUR))
  return `${redirectUri}?code=${code}&state=${query['state']}&iss=${encodeURIComponent(ISSUER)}`
}

function me(request: IncomingMessage): object | undefined {
  const row = sessionOf(request)
  if (!row) return undefined
  const { id, email, preferred_username: preferredUsername, roles, permissions } = row
  return { user: { id, email, preferredUsername, roles }, permissions: String(permissions).split(',') }
}

const JSON_TYPE = 'application/json; charset=utf-8'

function sendText(response: ServerResponse, text: string): void {
  response.writeHead(200, { 'Content-Type': JSON_TYPE, 'Content-Length': Buffer.byteLength(text) })
  response.end(text)
}

function send(response: ServerResponse, answer: object | undefined): void {
  if (answer) return sendText(response, JSON.stringify(answer))
  response.writeHead(400, { 'Content-Length': 0 })
  response.end()
}

function withForm(request: IncomingMessage, use: (form: Form) => void): void {
  let body = ''
  request.setEncoding('latin1')
  request.on('data', (chunk: string) => (body += chunk))
  request.on('end', () => use(parse(body) as Form))
}

const server = createServer((request, response) => {
  const url = request.url ?? ''
  const fail = (error: unknown) => response.destroy(error as Error)
  if (url === '/oauth/token')
    withForm(request, (form) => void issueTokens(request, form).then((answer) => send(response, answer), fail))
  else if (url === '/oauth/introspect') withForm(request, (form) => send(response, introspect(request, form)))
  else if (url === '/oauth/userinfo') send(response, userinfo(request))
  else if (url === '/api/auth/me') send(response, me(request))
  else if (url === '/.well-known/jwks.json') sendText(response, jwks)
  else if (url === '/.well-known/openid-configuration') sendText(response, discovery)
  else if (url.startsWith('/oauth/authorize?')) {
    const query = parse(url.slice('/oauth/authorize?'.length)) as Form
    void authorize(request, query).then((location) => {
      if (location === undefined) return send(response, undefined)
      response.writeHead(302, { Location: location, 'Content-Length': 0 })
      return response.end()
    }, fail)
  } else send(response, undefined)
})
if (batched !== undefined) answerTogether(server)
// The same as Fastify's.
server.keepAliveTimeout = 72_000
server.listen(Number(port), '127.0.0.1')
