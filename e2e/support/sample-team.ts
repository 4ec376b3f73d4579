import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, request, type APIRequestContext } from '@playwright/test'
import type { Server } from './server.ts'
import { makeKey } from './ssh-key.ts'

const PASSWORD = 'a password of theirs'
const DAY_MS = 86_400_000
const BROWSERS = {
  firefox: 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0',
  phone:
    'Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Mobile/15E148 Safari/604.1',
}

async function post<Answer>(api: APIRequestContext, path: string, data: object = {}): Promise<Answer> {
  const response = await api.post(path, { data })
  expect(response.ok(), `${path}: ${await response.text()}`).toBe(true)
  return (await response.json()) as Answer
}

async function signInElsewhere(
  server: Server,
  userAgent: string,
  email: string,
  { password = PASSWORD, also }: { password?: string; also?: (api: APIRequestContext) => Promise<unknown> } = {},
) {
  const api = await request.newContext({ baseURL: server.origin, userAgent })
  await post(api, '/api/auth/login', { email, password })
  await also?.(api)
  await api.dispose()
}

/** Adds a month of sign-ins and certificates directly to the database, because the API can't create events in the past. */
function writeHistory({ dataDir }: Server, email: string) {
  const db = new DatabaseSync(join(dataDir, 'latchkey.db'), { timeout: 10_000 })
  const insert = db.prepare(
    `insert into audit_events (id, at, action, outcome, actor_email, data) values (?, ?, ?, 'success', ?, ?)`,
  )
  const today = Date.now() - (Date.now() % DAY_MS)
  let written = 0
  const write = (at: number, count: number, action: string, data = {}) => {
    for (let index = 0; index < count; index += 1)
      insert.run(`0-sample-${(written += 1)}`, at + index, action, email, JSON.stringify(data))
  }
  db.exec('begin immediate')
  for (let ago = 29; ago > 0; ago -= 1) {
    const at = today - ago * DAY_MS
    const activity = [0, 6].includes(new Date(at).getUTCDay()) ? 0.25 : 1
    // During the month the share of passkeys grows and that of passwords falls.
    write(at, Math.round(activity * (9 + (29 - ago) * 0.9 + (ago % 4))), 'session.started', { method: 'passkey' })
    write(at, Math.round(activity * (7 + ago * 0.6 + ((ago * 7) % 5))), 'session.started', { method: 'password' })
    write(at, (ago * 5) % 7 > 4 ? 2 : Math.round(activity), 'session.refused')
    write(at, Math.round(activity * (6 + ((ago * 11) % 9))), 'ssh_certificate.issued')
  }
  const certificates = db.prepare(`select count(*) as count from audit_events where action = 'ssh_certificate.issued'`)
  db.prepare(`update counters set value = ? where name = 'ssh_serial'`).run(Number(certificates.get()?.['count']))
  db.exec('commit')
  db.close()
}

export type Sample = { userId: string; invitedId: string; clientId: string; consent: string }

/** Creates the data of a small team: users, a role, two applications, a key with certificates. */
export async function populate(
  api: APIRequestContext,
  server: Server,
  administrator: { email: string; password: string },
): Promise<Sample> {
  writeHistory(server, administrator.email)
  const named = { given_name: 'Grace', family_name: 'Hopper', preferredUsername: 'grace' }
  const { user: me } = (await (await api.get('/api/auth/me')).json()) as { user: { id: string } }
  const renamed = await api.patch(`/api/admin/users/${me.id}`, { data: named })
  expect(renamed.status(), await renamed.text()).toBe(200)
  const { role } = await post<{ role: { id: string } }>(api, '/api/admin/roles', {
    name: 'operators',
    description: 'Keep the servers running',
    principals: ['deploy'],
    permissions: ['ssh:keys:manage', 'ssh:cert:issue', 'users:read'],
  })
  const create = async (displayName: string, more: object) => {
    const email = `${displayName.split(' ')[0]?.toLowerCase() ?? ''}@example.com`
    const made = await post<{ user: { id: string } }>(api, '/api/admin/users', { email, displayName, ...more })
    return { id: made.user.id, email }
  }
  const operator = { password: PASSWORD, roleIds: [role.id] }
  const katherine = await create('Katherine Johnson', operator)
  const radia = await create('Radia Perlman', operator)
  const edsger = await create('Edsger Dijkstra', { password: PASSWORD })
  const barbara = await create('Barbara Liskov', {})

  const redirectUri = 'https://wiki.example.com/callback'
  const scopes = ['openid', 'profile', 'email', 'offline_access']
  const application = { clientType: 'confidential', redirectUris: [redirectUri], scopes }
  const { client_id: clientId, client_secret: secret } = await post<Record<'client_id' | 'client_secret', string>>(
    api,
    '/oauth/clients',
    {
      name: 'Team Wiki',
      operator: 'Example Cooperative',
      launchUrl: 'https://wiki.example.com/',
      ...application,
    },
  )
  await post(api, '/oauth/clients', {
    name: 'Status board',
    clientType: 'public',
    redirectUris: ['https://status.example.com/'],
    scopes: ['openid', 'profile'],
  })
  const authorizationRequest = {
    response_type: 'code',
    client_id: clientId,
    redirect_uri: redirectUri,
    scope: scopes.join(' '),
    state: 'x',
    code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
    code_challenge_method: 'S256',
  }
  const useApplication = async (person: APIRequestContext) => {
    const { redirectTo } = await post<{ redirectTo: string }>(person, '/oauth/approve', authorizationRequest)
    const exchanged = await person.post('/oauth/token', {
      headers: { authorization: `Basic ${Buffer.from(`${clientId}:${secret}`).toString('base64')}` },
      form: {
        grant_type: 'authorization_code',
        code: new URL(redirectTo).searchParams.get('code') ?? '',
        redirect_uri: redirectUri,
        code_verifier: 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk',
      },
    })
    expect(exchanged.status(), await exchanged.text()).toBe(200)
  }
  await useApplication(api)
  for (const { email } of [katherine, radia])
    await signInElsewhere(server, BROWSERS.firefox, email, { also: useApplication })
  await post(api, `/api/admin/users/${edsger.id}/lifecycle`, { action: 'disable' })
  await post(api, `/api/admin/users/${radia.id}/lifecycle`, { action: 'disable', executeAt: Date.now() + 3 * DAY_MS })
  await post(api, `/api/admin/users/${edsger.id}/lifecycle`, { action: 'enable', executeAt: Date.now() + 9 * DAY_MS })

  const { key } = await post<{ key: { id: string } }>(api, '/api/ssh/keys', {
    name: 'grace@laptop',
    publicKey: makeKey('grace@laptop').publicKey,
  })
  const lost = await post<{ id: string }>(api, '/api/ssh/certs/issue', { savedKeyId: key.id })
  await post(api, `/api/ssh/certs/${lost.id}/revoke`, { reason: 'Laptop lost' })
  await post(api, '/api/ssh/certs/issue', { savedKeyId: key.id })
  for (const userAgent of [BROWSERS.phone, BROWSERS.firefox])
    await signInElsewhere(server, userAgent, administrator.email, { password: administrator.password })

  const consent = `/consent?${new URLSearchParams({ ...authorizationRequest, prompt: 'consent' }).toString()}`
  return { userId: radia.id, invitedId: barbara.id, clientId, consent }
}
