import assert from 'node:assert/strict'
import { before } from 'node:test'
import type { Response } from 'light-my-request'
import type { Role } from '../../../src/identity/roles/role.ts'
import type { Permission } from '../../../src/vocabulary/permissions.ts'
import { TRUSTING } from '../../proxy/visits.ts'
import { sharedApp, type TestApp } from '../../support/app.ts'
import type { EngineName } from '../../support/engines.ts'
import { type SignedInPerson, signedInPerson } from '../../support/people.ts'

/** Distinguishes the names that the tests give. */
export let count = 0
export const nextNumber = () => ++count
export const fresh = (text: string) => `${text} ${nextNumber()}`

/** Those of the engine whose tests run. */
export let app: TestApp
export let admin: SignedInPerson

/** Starts the service and signs an administrator in, before the tests of a group. */
export function startManagers(engine: EngineName): void {
  const shared = sharedApp({ engine, config: TRUSTING })
  before(async () => {
    app = shared()
    await signInAdministrator()
  })
}

export async function signInAdministrator(): Promise<void> {
  admin = await signedInPerson(app, { admin: true })
}

export const managerWith = (...permissions: Permission[]) => signedInPerson(app, { permissions })

export const newRole = async (content: object = {}): Promise<Role> => {
  const made = await admin.post('/api/admin/roles', { name: fresh('Role'), ...content })
  assert.equal(made.statusCode, 201, made.body)
  return made.json<{ role: Role }>().role
}

export const rolesOf = async ({ user }: SignedInPerson) =>
  (await admin.get(`/api/admin/users/${user.id}/roles`)).json<{ roles: Role[] }>().roles

export const give = async ({ user }: SignedInPerson, { id }: Role) =>
  assert.equal((await admin.post(`/api/admin/users/${user.id}/roles`, { roleId: id })).statusCode, 200)

export const roleHeldBy = async (person: SignedInPerson, content: object = {}) => {
  const role = await newRole(content)
  await give(person, role)
  return role
}

export const stateOf = async (url: string) => (await admin.get(url)).body

/** Refused for what it would give to its author, and nothing is changed. */
export const refusesGain = async (what: string, watched: string, attempt: () => Promise<Response>) => {
  const before = await stateOf(watched)
  const answer = await attempt()
  assert.equal(answer.statusCode, 403, `${what}: ${answer.body}`)
  assert.equal(answer.json().code, 'own_access', what)
  assert.equal(await stateOf(watched), before, what)
}

export const allows = async (what: string, attempt: Promise<Response>) => {
  const answer = await attempt
  assert.ok(answer.statusCode < 300, `${what}: ${answer.statusCode} ${answer.body}`)
  return answer
}
