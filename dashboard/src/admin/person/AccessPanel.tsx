import type { UserDetails } from '../../api/shapes.ts'
import { useMay } from '../../session/me.ts'
import { PermissionsSection } from './PermissionsSection.tsx'
import { UsableAppsSection } from './UsableAppsSection.tsx'
import { UserRolesSection } from './UserRolesSection.tsx'

/** What this person may do, and why. */
export function AccessPanel({ details: { user, permissions } }: { details: UserDetails }) {
  const may = useMay()
  return (
    <>
      {may('roles:read') && <UserRolesSection user={user} />}
      <PermissionsSection permissions={permissions} />
      <UsableAppsSection user={user} />
    </>
  )
}
