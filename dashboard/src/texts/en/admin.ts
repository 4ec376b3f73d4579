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

/** The texts of the administration, a file for each page. They are loaded together. */
export const admin = { overview, audit, users, lifecycle, deleteUser, roles, clients, settings, hosts, certificates }
