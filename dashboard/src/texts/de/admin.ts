import type { admin as English } from '../en/admin.ts'
import { audit } from './admin/audit.ts'
import { certificates } from './admin/certificates.ts'
import { clients } from './admin/clients.ts'
import { deleteUser } from './admin/delete-user.ts'
import { hosts } from './admin/hosts.ts'
import { lifecycle } from './admin/lifecycle.ts'
import { overview } from './admin/overview.ts'
import { roles } from './admin/roles.ts'
import { settings } from './admin/settings.ts'
import { users } from './admin/users.ts'

export const admin: typeof English = {
  overview,
  audit,
  users,
  lifecycle,
  deleteUser,
  roles,
  clients,
  settings,
  hosts,
  certificates,
}
