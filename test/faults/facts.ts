import assert from 'node:assert/strict'
import { credentialsOf, type Installation } from './installation.ts'
import type { Fact } from './ledger.ts'

interface Certificate {
  id: string
  serial: string
}

/** Statements about the state of the service that are checked through its public API. */
export interface Facts {
  hasAccount(email: string): Fact
  isDisabled(userId: string): Fact
  /** Whether the password is correct, also of a disabled account. */
  hasPassword(email: string, password: string): Fact
  isLiveSession(cookie: string): Fact
  isLiveToken(token: string): Fact
  holdsRole(userId: string, roleId: string): Fact
  isLogged(certificate: Certificate): Fact
  isRevoked(certificate: Certificate): Fact
  hasAction(userId: string, actionId: string, statuses: string[]): Fact
  /** Discards the lists that were read for several facts at once. */
  clearCache(): void
}

const PAGE_SIZE = 200

export function createFacts(installation: Installation): Facts {
  let revoked: Promise<Set<string>> | undefined
  let logged: Promise<Map<string, string>> | undefined

  const readRevoked = async () => {
    const answer = await installation.expectStatus(200, 'GET', '/ssh/krl?includeExpired=true')
    const list = answer.json<{ revoked: Certificate[] }>().revoked.map(({ serial }) => serial)
    assert.equal(new Set(list).size, list.length, 'Each serial is in the list once.')
    return new Set(list)
  }
  const readLogged = async () => {
    const found = new Map<string, string>()
    for (let cursor: string | null = ''; cursor !== null;) {
      const query: string = cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`
      const page = await installation.asAdmin(200, 'GET', `/api/ssh/certs?limit=${PAGE_SIZE}${query}`)
      const { certificates, nextCursor } = page.json<{ certificates: Certificate[]; nextCursor: string | null }>()
      for (const { id, serial } of certificates) found.set(id, serial)
      cursor = nextCursor
    }
    assert.equal(new Set(found.values()).size, found.size, 'Each serial is issued once.')
    return found
  }
  const userOf = async (userId: string) =>
    (await installation.asAdmin(200, 'GET', `/api/admin/users/${userId}`)).json<{
      user: { disabled_at: number | null }
    }>().user

  return {
    hasAccount: (email) => ({
      key: `account ${email}`,
      async holds() {
        const found = await installation.asAdmin(200, 'GET', `/api/admin/users?q=${encodeURIComponent(email)}`)
        return found.json<{ users: { email: string }[] }>().users.some((user) => user.email === email)
      },
    }),
    isDisabled: (userId) => ({
      key: `disabled ${userId}`,
      holds: async () => (await userOf(userId)).disabled_at !== null,
    }),
    hasPassword: (email, password) => ({
      key: `password ${password}`,
      async holds() {
        const { status, body } = await installation.send('POST', '/api/auth/login', { json: { email, password } })
        assert.ok([200, 401, 403].includes(status), `${status} ${body}`)
        return status !== 401
      },
    }),
    isLiveSession: (cookie) => ({
      key: `session ${cookie}`,
      async holds() {
        const { status, body } = await installation.send('GET', '/api/auth/me', { cookie })
        assert.ok([200, 401].includes(status), `${status} ${body}`)
        return status === 200
      },
    }),
    isLiveToken: (token) => ({
      key: `token ${token}`,
      async holds() {
        const form = { ...credentialsOf(installation), token }
        return (await installation.expectStatus(200, 'POST', '/oauth/introspect', { form })).json<{ active: boolean }>()
          .active
      },
    }),
    holdsRole: (userId, roleId) => ({
      key: `role ${userId} ${roleId}`,
      async holds() {
        const { roles } = (await installation.asAdmin(200, 'GET', `/api/admin/users/${userId}/roles`)).json<{
          roles: { id: string }[]
        }>()
        return roles.some(({ id }) => id === roleId)
      },
    }),
    isLogged: ({ id, serial }) => ({
      key: `certificate ${id}`,
      holds: async () => (await (logged ??= readLogged())).get(id) === serial,
    }),
    isRevoked: ({ serial }) => ({
      key: `revoked ${serial}`,
      holds: async () => (await (revoked ??= readRevoked())).has(serial),
    }),
    hasAction: (userId, actionId, statuses) => ({
      key: `action ${actionId} ${statuses.join('/')}`,
      async holds() {
        const { actions } = (await installation.asAdmin(200, 'GET', `/api/admin/users/${userId}/lifecycle`)).json<{
          actions: { id: string; status: string }[]
        }>()
        return actions.some(({ id, status }) => id === actionId && statuses.includes(status))
      },
    }),
    clearCache() {
      revoked = undefined
      logged = undefined
    },
  }
}
