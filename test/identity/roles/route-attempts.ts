import { ADMIN_ROLE } from '../../../src/vocabulary/built-in-roles.ts'
import type { Permission } from '../../../src/vocabulary/permissions.ts'
import { createSite, newHostName } from '../../proxy/visits.ts'
import { createHost } from '../../ssh/hosts/managed-host.ts'
import { registerApplication } from '../../support/application.ts'
import { type SignedInPerson, signedInPerson } from '../../support/people.ts'
import { admin, allows, app, fresh, give, newRole, nextNumber } from './managers.ts'
import type { World } from './world.ts'

/** What is tried, the parameters of the path, the body, and how it is refused: with 403 unless it says otherwise. */
export type Attempt = [what: string, path: Record<string, string>, body?: object | undefined, status?: 409]

export interface Row {
  /** Permissions besides the one of the route. */
  also?: Permission[]
  tries: (world: World, manager: SignedInPerson) => Promise<{ refused: Attempt[]; harmless: Attempt[] }>
}

const plain = async () => (await signedInPerson(app)).user
const idOf = ({ user }: SignedInPerson) => user.id
const newEmail = () => `new${nextNumber()}@example.com`

export const ROWS: Record<string, Row> = {
  'POST /api/admin/roles': {
    tries: async () => ({
      refused: [['more than one has', {}, { name: fresh('Strong'), permissions: ['users:delete'] }]],
      harmless: [['a role of nobody', {}, { name: fresh('Plain'), permissions: ['roles:write'] }]],
    }),
  },
  'PATCH /api/admin/roles/{id}': {
    tries: async ({ mine }) => ({
      refused: [
        ['the name of an own role', { id: mine.id }, { name: fresh('admins') }],
        ['the attributes of an own role', { id: mine.id }, { attributes: { level: 9 } }],
        ['an account for an own role', { id: mine.id }, { principals: [`unix${nextNumber()}`] }],
        ['sudo for an own role', { id: mine.id }, { ssh: { sudo: 'all' } }],
      ],
      harmless: [
        ['the description of an own role', { id: mine.id }, { description: 'x' }],
        ['the name of another', { id: (await newRole()).id }, { name: fresh('Other'), attributes: { level: 9 } }],
      ],
    }),
  },
  'DELETE /api/admin/roles/{id}': {
    tries: async ({ mine }) => ({
      refused: [['a role whose attributes are told', { id: mine.id }]],
      harmless: [['a role of nobody', { id: (await newRole()).id }]],
    }),
  },
  'POST /api/admin/roles/{id}/permissions': {
    tries: async ({ mine }) => ({
      refused: [['one that they lack', { id: mine.id }, { permissionId: 'users:delete' }]],
      harmless: [['one that they have', { id: (await newRole()).id }, { permissionId: 'roles:write' }]],
    }),
  },
  'DELETE /api/admin/roles/{id}/permissions/{permissionId}': {
    tries: async () => ({
      refused: [['of the administrators', { id: ADMIN_ROLE, permissionId: 'users:delete' }]],
      harmless: [
        ['of others', { id: (await newRole({ permissions: ['roles:write'] })).id, permissionId: 'roles:write' }],
      ],
    }),
  },
  'POST /api/admin/users/{userId}/roles': {
    tries: async ({ theirs }, manager) => ({
      refused: [['to themselves', { userId: idOf(manager) }, { roleId: theirs.id }]],
      harmless: [['to another', { userId: (await plain()).id }, { roleId: (await newRole()).id }]],
    }),
  },
  'DELETE /api/admin/users/{userId}/roles/{roleId}': {
    tries: async ({ mine, theirs }, manager) => {
      const other = await signedInPerson(app)
      await give(other, theirs)
      return {
        refused: [['whose attributes are told', { userId: idOf(manager), roleId: mine.id }]],
        harmless: [['from another', { userId: idOf(other), roleId: theirs.id }]],
      }
    },
  },
  'POST /api/admin/users': {
    also: ['roles:assign'],
    tries: async () => ({
      refused: [['with a role that has more', {}, { email: newEmail(), roleIds: [ADMIN_ROLE] }]],
      harmless: [['without roles', {}, { email: newEmail() }]],
    }),
  },
  'POST /api/admin/users/import': {
    also: ['roles:assign'],
    tries: async () => ({
      refused: [['with a role that has more', {}, { rows: [{ email: newEmail(), roles: ['admin'] }] }]],
      harmless: [['without roles', {}, { rows: [{ email: newEmail() }] }]],
    }),
  },
  'POST /api/admin/users/batch': {
    also: ['roles:assign'],
    tries: async ({ theirs }, manager) => ({
      refused: [['to themselves', {}, { ids: [idOf(manager)], action: 'assign_role', roleId: theirs.id }]],
      harmless: [
        ['to another', {}, { ids: [(await plain()).id], action: 'assign_role', roleId: (await newRole()).id }],
      ],
    }),
  },
  'PATCH /api/admin/users/{userId}': {
    also: ['ssh:cert:issue'],
    tries: async ({ namesake }, manager) => ({
      refused: [
        ['their username', { userId: idOf(manager) }, { preferredUsername: `boss${nextNumber()}` }],
        ['their attributes', { userId: idOf(manager) }, { attributes: { level: 9 } }],
        ['their address', { userId: idOf(manager) }, { email: newEmail() }, 409],
        ['that their address is confirmed', { userId: idOf(manager) }, { email_verified: true }, 409],
        [
          'a username that closes an account to them',
          { userId: idOf(namesake) },
          { preferredUsername: `renamed${nextNumber()}` },
        ],
      ],
      harmless: [
        ['of another', { userId: (await plain()).id }, { preferredUsername: `renamed${nextNumber()}` }],
        ['the address of another', { userId: (await plain()).id }, { email: newEmail(), email_verified: true }],
      ],
    }),
  },
  'DELETE /api/admin/users/{userId}': {
    also: ['ssh:cert:issue'],
    tries: async ({ namesake }, manager) => ({
      refused: [
        ['themselves', { userId: idOf(manager) }, undefined, 409],
        ['whose username closes an account to them', { userId: idOf(namesake) }],
      ],
      harmless: [['another', { userId: (await plain()).id }]],
    }),
  },
  'POST /api/admin/users/{userId}/lifecycle': {
    tries: async (_world, manager) => ({
      refused: [['themselves', { userId: idOf(manager) }, { action: 'disable' }, 409]],
      harmless: [['another', { userId: (await plain()).id }, { action: 'disable' }]],
    }),
  },
  'POST /api/admin/usernames/{name}/release': {
    tries: async () => {
      const give = async (person: SignedInPerson) => {
        const name = person.user.preferredUsername
        const body = { preferredUsername: `renamed${nextNumber()}` }
        await allows('renaming', admin.patch(`/api/admin/users/${idOf(person)}`, body))
        return { name }
      }
      return {
        refused: [['of an administrator', await give(await signedInPerson(app, { admin: true }))]],
        harmless: [['of another', await give(await signedInPerson(app))]],
      }
    },
  },
  'PATCH /api/admin/settings': {
    tries: async (_world, manager) => {
      await app.services.db.transaction((trx) =>
        trx.updateTable('users').set({ never_confirmed: 1 }).where('id', '=', idOf(manager)).execute(),
      )
      await allows('the domains', admin.patch('/api/admin/settings', { allowedEmailDomains: ['example.com'] }))
      return {
        refused: [['that an address need not be confirmed', {}, { allowedEmailDomains: [] }]],
        harmless: [['the name', {}, { name: 'Ours' }]],
      }
    },
  },
  'POST /oauth/clients': {
    tries: async ({ mine, theirs, closed }) => {
      const site = { clientType: 'proxied', name: fresh('Anew') }
      const bypass = [{ path: '/x', policy: 'bypass' }]
      const [host] = [closed.hostOfDeletedSite]
      return {
        refused: [
          ['a site that was deleted', {}, { ...site, hosts: [host] }],
          ['with an own role', {}, { ...site, hosts: [host], allowedRoles: [mine.id] }],
          ['with an open path', {}, { ...site, hosts: [host], allowedRoles: [theirs.id], rules: bypass }],
          ['on another port', {}, { ...site, hosts: [`${host}:8443`] }],
        ],
        harmless: [
          ['a host never seen', {}, { ...site, hosts: [newHostName()], headers: { user: 'X-User' } }],
          ['as strict as it was', {}, { ...site, hosts: [host], allowedRoles: [theirs.id] }],
        ],
      }
    },
  },
  'PATCH /oauth/clients/{clientId}': {
    tries: async ({ mine, theirs, closed, open }) => {
      const turnedOff = await registerApplication(app)
      const demanding = await registerApplication(app, { requiredAcr: 'phr' })
      await allows('turning off', admin.patch(`/oauth/clients/${turnedOff.clientId}`, { disabled: true }))
      const at = (clientId: string) => ({ clientId })
      const own = await createSite(admin)
      return {
        refused: [
          ['the roles of a site', at(closed.siteId), { allowedRoles: null }],
          ['an own role at a site', at(closed.siteId), { allowedRoles: [theirs.id, mine.id] }],
          ['a rule of a site', at(closed.siteId), { rules: [{ path: '/x', policy: 'bypass' }] }],
          ['a rule that goes', at(open.siteId), { rules: [] }],
          ['headers', at(open.siteId), { headers: { user: 'X-User', name: 'Remote-User' } }],
          ['a host of a deleted site', at(own.id), { hosts: [own.host, `${closed.hostOfDeletedSite}:444`] }],
          ['the roles of an application', at(closed.applicationId), { allowedRoles: null }],
          ['claims', at(open.applicationId), { claims: [{ name: 'groups', in: ['userinfo'], value: ['admins'] }] }],
          ['turning on', at(turnedOff.clientId), { disabled: false }],
          ['a weaker sign-in', at(demanding.clientId), { requiredAcr: null }],
        ],
        harmless: [
          ['the name', at(open.applicationId), { name: fresh('Named') }],
          ['fewer who are let in', at(own.id), { allowedRoles: [] }],
          [
            'claims of others',
            at(open.applicationId),
            { claims: [{ name: 'chef', in: ['userinfo'], whenRole: { roleId: theirs.id, then: true } }] },
          ],
        ],
      }
    },
  },
  'DELETE /oauth/clients/{clientId}': {
    tries: async () => ({
      refused: [],
      harmless: [['a site', { clientId: (await createSite(admin)).id }]],
    }),
  },
  'POST /api/ssh/hosts': {
    also: ['ssh:cert:issue'],
    tries: async ({ closed }) => ({
      refused: [['one that was deleted', {}, { name: fresh('anew'), hostnames: [closed.nameOfDeletedHost] }]],
      harmless: [['one never seen', {}, { name: fresh('new'), hostnames: [`new${nextNumber()}.example.com`] }]],
    }),
  },
  'PATCH /api/ssh/hosts/{id}': {
    also: ['ssh:cert:issue'],
    tries: async ({ mine, closed }) => {
      const { host } = await createHost(admin)
      return {
        refused: [
          ['for everybody', { id: closed.hostId }, { allowedRoles: null }],
          ['for an own role', { id: closed.hostId }, { allowedRoles: [mine.id] }],
          ['a name of a deleted host', { id: host.id }, { hostnames: [closed.nameOfDeletedHost] }],
        ],
        harmless: [
          ['its name', { id: closed.hostId }, { name: fresh('named') }],
          ['fewer who are let in', { id: host.id }, { allowedRoles: [] }],
        ],
      }
    },
  },
  'DELETE /api/ssh/hosts/{id}': {
    tries: async () => ({ refused: [], harmless: [['a host', { id: (await createHost(admin)).host.id }]] }),
  },
}
