import type { admin as English } from '../en/admin.ts'
import { audit } from './admin/audit.ts'
import { clients } from './admin/clients.ts'
import { deleteUser, lifecycle, roles, users } from './admin/people.ts'
import { overview, settings } from './admin/service.ts'
import { certificates, hosts } from './admin/ssh.ts'
import { webhooks } from './admin/webhooks.ts'

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
  webhooks,
}
