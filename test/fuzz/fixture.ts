import { randomUUID } from 'node:crypto'
import { encodeCursor } from '../../src/platform/http/cursor.ts'
import { issue, newPublicKey, saveKey } from '../ssh/public-keys.ts'
import type { TestApp } from '../support/app.ts'
import {
  type Application,
  authorize,
  getCode,
  getTokens,
  newPkce,
  registerApplication,
} from '../support/application.ts'
import { type SignedInPerson, signedInPerson } from '../support/people.ts'
import type { RequestSource } from './requests.ts'
import type { KnownValues } from './values.ts'

/** Who sends requests, and which values exist. */
export interface Fixture {
  cookieOf(source: RequestSource): string
  known: KnownValues
  /** Replaces a caller that was locked out, signed out or deleted during the run. */
  renew(source: RequestSource): Promise<void>
}

/** Names that are not in use. */
const unused = (before: string, after = ''): string[] =>
  Array.from({ length: 20 }, () => `${before}${randomUUID().slice(0, 8)}${after}`)

const PASSWORD = 'correct horse battery staple'
const SCOPES = 'openid profile email offline_access'

/** Creates records of every kind. */
export async function createFixture(test: TestApp): Promise<Fixture> {
  const callers: Record<Exclude<RequestSource, 'anonymous'>, SignedInPerson> = {
    person: await newPerson(test),
    administrator: await newAdministrator(test),
  }
  // The last administrator can't be removed, so there is a second one.
  const victims = [await newPerson(test), await newPerson(test), await newAdministrator(test)]
  const known = await createKnownValues(test, callers.administrator, [callers.person, ...victims])
  return {
    cookieOf: (source) => (source === 'anonymous' ? '' : callers[source].cookie),
    known,
    async renew(source) {
      if (source === 'anonymous') return
      const path = source === 'person' ? '/api/auth/me' : '/api/admin/roles'
      const { statusCode } = await callers[source].get(path)
      if (statusCode === 200) return
      callers[source] = await (source === 'person' ? newPerson(test) : newAdministrator(test))
    },
  }
}

const newPerson = (test: TestApp) =>
  signedInPerson(test, { permissions: ['ssh:keys:manage', 'ssh:cert:issue'], principals: ['deploy'] })
const newAdministrator = (test: TestApp) => signedInPerson(test, { admin: true })

async function createKnownValues(
  test: TestApp,
  administrator: SignedInPerson,
  people: SignedInPerson[],
): Promise<KnownValues> {
  const application = await registerApplication(test)
  const browserApplication = await registerApplication(test, { clientType: 'public' })
  const tokens = await getTokens(test, administrator, application, { scope: SCOPES })
  const more = await getTokens(test, people[0] ?? administrator, application, { scope: SCOPES })
  const pkce = newPkce()
  const codes = [
    await getCode(administrator, application, pkce, { scope: SCOPES }),
    await getCode(administrator, application, pkce),
  ]
  const pending = await authorize(administrator, application, pkce, { prompt: 'login' }).catch(() => undefined)
  const keys = [await saveKey(administrator), await saveKey(people[0] ?? administrator)]
  const certificates = [await issue(administrator, keys[0] ?? ''), await issue(administrator, keys[0] ?? '')]
  const roleIds = await rolesOf(administrator)
  const userIds = [administrator, ...people].map(({ user }) => user.id)
  const clientIds = [application.clientId, browserApplication.clientId]
  const accessTokens = [tokens.access_token, more.access_token]
  return {
    ...identifiers({ userIds, roleIds, clientIds }),
    ...protocol(application, pkce),
    client_secret: [application.secret ?? '', 'wrong'],
    code: codes,
    refresh_token: [tokens.refresh_token, more.refresh_token],
    access_token: accessTokens,
    token: [...accessTokens, tokens.refresh_token],
    id_token_hint: [tokens.id_token],
    pending_request: [pending?.searchParams.get('pending_request') ?? 'none'],
    sessions: people.map(({ sessionId }) => sessionId),
    keys,
    savedKeyId: keys,
    certs: certificates.map(({ id }) => id),
    serial: certificates.map(({ serial }) => serial),
    notifications: await notificationsOf(administrator),
    passkeys: ['none'],
    actionId: await scheduleAction(administrator, people[1] ?? administrator),
    email: [...people.map(({ user }) => user.email), 'New@Example.com', ...unused('', '@example.com')],
    name: unused('Name '),
    preferredUsername: unused('name'),
    displayName: ['Ada Example', 'Zo\u00eb \u6f22\u5b57'],
    password: [PASSWORD, 'short'],
    currentPassword: [PASSWORD],
    newPassword: ['another long password of mine'],
    publicKey: [newPublicKey(), newPublicKey('comment')],
    cursor: [encodeCursor([Date.UTC(2026, 0, 15), 'x']), encodeCursor([0, '5']), encodeCursor([-1, '']), 'x'],
    principals: ['deploy', 'root'],
  }
}

const identifiers = ({
  userIds,
  roleIds,
  clientIds,
}: Record<'userIds' | 'roleIds' | 'clientIds', string[]>): KnownValues => ({
  userId: userIds,
  user: userIds,
  actor: userIds,
  target: userIds,
  roleId: roleIds,
  roleIds,
  roles: roleIds,
  clientId: clientIds,
  client_id: clientIds,
  permissionId: ['users:read', 'ssh:cert:issue', 'none'],
  permission: ['users:read', 'ssh:cert:issue', 'none'],
  permissions: ['users:read', 'ssh:cert:issue'],
  action: ['user.updated', 'user.*', 'session.started'],
})

const protocol = (
  { redirectUri }: Application,
  { verifier, challenge }: { verifier: string; challenge: string },
): KnownValues => ({
  grant_type: ['authorization_code', 'refresh_token', 'client_credentials'],
  response_type: ['code'],
  redirect_uri: [redirectUri],
  redirectUris: [redirectUri, 'http://127.0.0.1/cb', 'com.example.app:/cb'],
  post_logout_redirect_uri: ['https://app.example/bye'],
  postLogoutRedirectUris: ['https://app.example/bye'],
  scope: [SCOPES, 'openid', 'openid openid', 'none'],
  scopes: SCOPES.split(' '),
  code_verifier: [verifier],
  code_challenge: [challenge],
  code_challenge_method: ['S256', 'plain'],
  prompt: ['none', 'login', 'consent', 'none login'],
  max_age: ['0', '3600'],
  claims: ['{"id_token":{"acr":{"essential":true,"values":["1"]}}}', '{"userinfo":{"email":null}}', '{'],
})

const rolesOf = async (administrator: SignedInPerson): Promise<string[]> => {
  const made = await administrator.post('/api/admin/roles', {
    name: `Role ${Math.random()}`,
    permissions: ['users:read'],
  })
  const listed = (await administrator.get('/api/admin/roles')).json<{ roles: { id: string }[] }>().roles
  return [made.json<{ role: { id: string } }>().role.id, ...listed.slice(0, 3).map(({ id }) => id)]
}

const notificationsOf = async (person: SignedInPerson): Promise<string[]> =>
  (await person.get('/api/notifications')).json<{ notifications: { id: string }[] }>().notifications.map(({ id }) => id)

/** Schedules an action, so that there is one to cancel. */
async function scheduleAction(administrator: SignedInPerson, { user }: SignedInPerson): Promise<string[]> {
  const url = `/api/admin/users/${user.id}/lifecycle`
  await administrator.post(url, { action: 'disable', executeAt: Date.UTC(2026, 5, 1) })
  const { actions } = (await administrator.get(url)).json<{ actions: { id: string }[] }>()
  return actions.map(({ id }) => id)
}
