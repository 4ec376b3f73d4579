import { audit } from './admin/audit.ts'
import { clients } from './admin/clients.ts'
import { deleteUser, lifecycle, roles, users } from './admin/people.ts'
import { overview, settings } from './admin/service.ts'
import { certificates, hosts } from './admin/ssh.ts'
import { webhooks } from './admin/webhooks.ts'

/** The texts of the administration, a file for each page. They are loaded together. */
export const admin = {
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
  webhooks,
}
