import assert from 'node:assert/strict'
import type { Role } from '../../../src/identity/roles/role.ts'
import type { RoleSsh } from '../../../src/identity/roles/ssh-rules.ts'
import type { Permission } from '../../../src/vocabulary/permissions.ts'
import { isRevoked, readKrl } from '../../platform/openssh/read-krl.ts'
import type { TestApp } from '../../support/app.ts'
import { anonymous, type SignedInPerson } from '../../support/people.ts'
import type { Issued } from '../public-keys.ts'

interface Content {
  name?: string
  principals?: string[]
  permissions?: Permission[]
  attributes?: object
  ssh?: RoleSsh | null
}

let names = 0

/** Makes and gives roles as an administrator, for tests of what they give over SSH. */
export const roleGiver = (app: TestApp, admin: SignedInPerson) => ({
  async create(content: Content, by = admin): Promise<Role> {
    const made = await by.post('/api/admin/roles', { name: `Giving ${++names}`, ...content })
    assert.equal(made.statusCode, 201, made.body)
    return made.json<{ role: Role }>().role
  },
  async assign({ user }: SignedInPerson, ...roles: Role[]): Promise<void> {
    for (const { id } of roles) {
      const given = await admin.post(`/api/admin/users/${user.id}/roles`, { roleId: id })
      assert.equal(given.statusCode, 200, given.body)
    }
  },
  async unassign({ user }: SignedInPerson, { id }: Role): Promise<void> {
    const taken = await admin.delete(`/api/admin/users/${user.id}/roles/${id}`)
    assert.equal(taken.statusCode, 200, taken.body)
  },
  async change({ id }: Pick<Role, 'id'>, body: object): Promise<void> {
    const changed = await admin.patch(`/api/admin/roles/${id}`, body)
    assert.equal(changed.statusCode, 200, changed.body)
  },
  async setAttributes({ user }: SignedInPerson, attributes: object): Promise<void> {
    const changed = await admin.patch(`/api/admin/users/${user.id}`, { attributes })
    assert.equal(changed.statusCode, 200, changed.body)
  },
  async areRevoked(...issued: Issued[]): Promise<boolean[]> {
    const krl = readKrl((await anonymous(app).get('/ssh/krl?format=krl')).rawPayload)
    return issued.map(({ serial }) => isRevoked(krl, app.services.sshCa.blob, BigInt(serial)))
  },
})
