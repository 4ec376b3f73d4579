import { skipEscalationCheck } from '../../../src/identity/roles/checked-trx.ts'
import { addRole } from '../../../src/identity/roles/role-store.ts'
import type { Role } from '../../../src/identity/roles/role.ts'
import { createSite, newHostName } from '../../proxy/visits.ts'
import { createHost, enroll, hostWith } from '../../ssh/hosts/managed-host.ts'
import { registerApplication } from '../../support/application.ts'
import { type SignedInPerson, signedInPerson } from '../../support/people.ts'
import { admin, allows, app, fresh, newRole, nextNumber } from './managers.ts'
import type { Ends } from './reach.ts'

/** What a manager could try to be let in by, or called otherwise by. */
export interface World {
  /** All managers have one of these roles, and none the other. */
  mine: Role
  theirs: Role
  /** What the managers are let in by nowhere. */
  closed: {
    siteId: string
    applicationId: string
    hostId: string
    hostOfDeletedSite: string
    nameOfDeletedHost: string
  }
  /** What they are let in by; one path of the site is closed to everybody. */
  open: { siteId: string; applicationId: string }
  /** Has a username that is also a principal of `mine`, as older versions could leave it: certificates say nothing by it. */
  namesake: SignedInPerson
  ends: Ends
}

export async function makeWorld(): Promise<World> {
  const namesake = await signedInPerson(app)
  const role = { name: fresh('Mine'), principals: [namesake.user.preferredUsername], attributes: { level: 1 } }
  const id = `mine-${nextNumber()}`
  await app.services.db.transaction((trx) => addRole(skipEscalationCheck(trx), id, role, app.clock.now()))
  const mine = (await admin.get(`/api/admin/roles/${id}`)).json<{ role: Role }>().role
  const theirs = await newRole()
  const allowedRoles = [theirs.id]
  const closedSite = await createSite(admin, { allowedRoles })
  const openSite = await createSite(admin, { rules: [{ path: '/secret/*', policy: 'deny' }] })
  const hostOfDeletedSite = newHostName()
  const deletedSite = await createSite(admin, { allowedRoles, hosts: [hostOfDeletedSite] })
  await allows('deleting', admin.delete(`/oauth/clients/${deletedSite.id}`))
  const scopes = ['openid', 'profile', 'groups']
  const closedApplication = await registerApplication(app, { allowedRoles, scopes })
  const openApplication = await registerApplication(app, { scopes })
  const closedHost = await createHost(admin, { allowedRoles, accounts: 'managed' })
  const openHost = await createHost(admin)
  const { host: deletedHost } = await createHost(admin, { allowedRoles })
  await allows('deleting', admin.delete(`/api/ssh/hosts/${deletedHost.id}`))
  const hosts = await Promise.all(
    [closedHost, openHost].map(async ({ enrollmentToken }) =>
      hostWith(app, (await enroll(app, enrollmentToken)).hostToken),
    ),
  )
  return {
    mine,
    theirs,
    closed: {
      siteId: closedSite.id,
      applicationId: closedApplication.clientId,
      hostId: closedHost.host.id,
      hostOfDeletedSite,
      nameOfDeletedHost: deletedHost.hostnames[0] ?? '',
    },
    open: { siteId: openSite.id, applicationId: openApplication.clientId },
    namesake,
    ends: {
      sites: [closedSite.origin, openSite.origin, `https://${hostOfDeletedSite}`],
      applications: [closedApplication, openApplication],
      hosts,
    },
  }
}
