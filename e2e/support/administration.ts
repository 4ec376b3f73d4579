import { randomUUID } from 'node:crypto'
import { type APIRequestContext, expect, request } from '@playwright/test'
import type { Server } from './server.ts'
import { type Person, test as base } from './test.ts'

/** What the administrator prepares for a test, by the API. */
export type Administration = {
  api: APIRequestContext
  post: <Answer>(path: string, data: object) => Promise<Answer>
  patch: (path: string, data: object) => Promise<void>
  createClient: (data: object) => Promise<{ issuer: string; clientId: string; clientSecret: string }>
  /** A role with a new name. */
  createRole: (data?: object) => Promise<{ id: string; name: string }>
  /** Gives the role to the person with this email address. */
  giveRole: (email: string, roleId: string) => Promise<void>
  userId: (email: string) => Promise<string>
}

export const test = base.extend<{ administration: Administration }>({
  administration: async ({ server, administrator }, use) => {
    const administration = await administer(server, administrator)
    await use(administration)
    await administration.api.dispose()
  },
})

async function administer(server: Server, { email, password }: Person): Promise<Administration> {
  const api = await request.newContext({ baseURL: server.origin })
  await api.post('/api/auth/login', { data: { email, password } })

  const post = async <Answer>(path: string, data: object): Promise<Answer> => {
    const answer = await api.post(path, { data })
    expect(answer.ok(), await answer.text()).toBe(true)
    return (await answer.json()) as Answer
  }
  const userId = async (of: string): Promise<string> => {
    const found = await api.get('/api/admin/users', { params: { q: of } })
    const { users } = (await found.json()) as { users: { id: string; email: string }[] }
    return users.find((user) => user.email === of)?.id ?? ''
  }
  return {
    api,
    post,
    userId,
    async patch(path, data) {
      const answer = await api.patch(path, { data })
      expect(answer.ok(), await answer.text()).toBe(true)
    },
    async createClient(data) {
      const made = await post<{ client_id: string; client_secret: string }>('/oauth/clients', {
        name: 'Team Wiki',
        clientType: 'confidential',
        scopes: ['openid', 'profile', 'email', 'offline_access'],
        ...data,
      })
      return { issuer: server.origin, clientId: made.client_id, clientSecret: made.client_secret }
    },
    async createRole(data = {}) {
      const name = `staff-${randomUUID().slice(0, 8)}`
      const { role } = await post<{ role: { id: string } }>('/api/admin/roles', { name, ...data })
      return { id: role.id, name }
    },
    async giveRole(of, roleId) {
      await post(`/api/admin/users/${await userId(of)}/roles`, { roleId })
    },
  }
}

export { expect } from './test.ts'
