import assert from 'node:assert/strict'
import type { Fact } from './ledger.ts'
import { credentialsOf, type World } from './world.ts'

interface Certificate {
  id: string
  serial: string
}

/** What can be found out about the service from outside, over the same API that its users have. */
export interface Facts {
  hasAccount(email: string): Fact
  isDisabled(userId: string): Fact
  /** Whether the password is the right one, also of a disabled account. */
  hasPassword(email: string, password: string): Fact
  isLiveSession(cookie: string): Fact
  isLiveToken(token: string): Fact
  holdsRole(userId: string, roleId: string): Fact
  isLogged(certificate: Certificate): Fact
  isRevoked(certificate: Certificate): Fact
  hasAction(userId: string, actionId: string, statuses: string[]): Fact
  /** The lists that are read once for all who ask are read again. */
  lookAgain(): void
}

const PAGE = 200

export function createFacts(world: World): Facts {
  let revoked: Promise<Set<string>> | undefined
  let logged: Promise<Map<string, string>> | undefined

  const readRevoked = async () => {
    const answer = await world.demand(200, 'GET', '/ssh/krl?includeExpired=true')
    const list = answer.json<{ revoked: Certificate[] }>().revoked.map(({ serial }) => serial)
    assert.equal(new Set(list).size, list.length, 'Each serial stands in the list once.')
    return new Set(list)
  }
  const readLogged = async () => {
    const found = new Map<string, string>()
    for (let cursor: string | null = ''; cursor !== null;) {
      const query: string = cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`
      const page = await world.asAdmin(200, 'GET', `/api/ssh/certs?limit=${PAGE}${query}`)
      const { certificates, nextCursor } = page.json<{ certificates: Certificate[]; nextCursor: string | null }>()
      for (const { id, serial } of certificates) found.set(id, serial)
      cursor = nextCursor
    }
    assert.equal(new Set(found.values()).size, found.size, 'Each serial is issued once.')
    return found
  }
  const userOf = async (userId: string) =>
    (await world.asAdmin(200, 'GET', `/api/admin/users/${userId}`)).json<{ user: { disabled_at: number | null } }>()
      .user

  return {
    hasAccount: (email) => ({
      key: `account ${email}`,
      async isSo() {
        const found = await world.asAdmin(200, 'GET', `/api/admin/users?q=${encodeURIComponent(email)}`)
        return found.json<{ users: { email: string }[] }>().users.some((user) => user.email === email)
      },
    }),
    isDisabled: (userId) => ({
      key: `disabled ${userId}`,
      isSo: async () => (await userOf(userId)).disabled_at !== null,
    }),
    hasPassword: (email, password) => ({
      key: `password ${password}`,
      async isSo() {
        const { status, body } = await world.ask('POST', '/api/auth/login', { json: { email, password } })
        assert.ok([200, 401, 403].includes(status), `${status} ${body}`)
        return status !== 401
      },
    }),
    isLiveSession: (cookie) => ({
      key: `session ${cookie}`,
      async isSo() {
        const { status, body } = await world.ask('GET', '/api/auth/me', { cookie })
        assert.ok([200, 401].includes(status), `${status} ${body}`)
        return status === 200
      },
    }),
    isLiveToken: (token) => ({
      key: `token ${token}`,
      async isSo() {
        const form = { ...credentialsOf(world), token }
        return (await world.demand(200, 'POST', '/oauth/introspect', { form })).json<{ active: boolean }>().active
      },
    }),
    holdsRole: (userId, roleId) => ({
      key: `role ${userId} ${roleId}`,
      async isSo() {
        const { roles } = (await world.asAdmin(200, 'GET', `/api/admin/users/${userId}/roles`)).json<{
          roles: { id: string }[]
        }>()
        return roles.some(({ id }) => id === roleId)
      },
    }),
    isLogged: ({ id, serial }) => ({
      key: `certificate ${id}`,
      isSo: async () => (await (logged ??= readLogged())).get(id) === serial,
    }),
    isRevoked: ({ serial }) => ({
      key: `revoked ${serial}`,
      isSo: async () => (await (revoked ??= readRevoked())).has(serial),
    }),
    hasAction: (userId, actionId, statuses) => ({
      key: `action ${actionId} ${statuses.join('/')}`,
      async isSo() {
        const { actions } = (await world.asAdmin(200, 'GET', `/api/admin/users/${userId}/lifecycle`)).json<{
          actions: { id: string; status: string }[]
        }>()
        return actions.some(({ id, status }) => id === actionId && statuses.includes(status))
      },
    }),
    lookAgain() {
      revoked = undefined
      logged = undefined
    },
  }
}
