import type { PermissionName } from '../api/shapes.ts'
import { paths } from '../paths.ts'

/** The permission that each page needs. The navigation and the shell show a page only to those who hold it. */
export const pagePermissions = {
  [paths.admin]: 'users:read',
  [paths.adminUsers]: 'users:read',
  [paths.adminUser]: 'users:read',
  [paths.adminRoles]: 'roles:read',
  [paths.adminClients]: 'oauth_clients:read',
  [paths.adminNewClient]: 'oauth_clients:write',
  [paths.adminClient]: 'oauth_clients:read',
  [paths.adminTrial]: 'oauth_clients:read',
  [paths.adminHosts]: 'ssh:hosts:manage',
  [paths.adminCertificates]: 'ssh:cert:list',
  [paths.adminAudit]: 'audit:read',
  [paths.adminSettings]: 'settings:manage',
} as const satisfies Record<string, PermissionName>

const byPath = new Map<string, PermissionName>(Object.entries(pagePermissions))

/** Undefined for a page that everybody who is signed in may see. */
export const permissionOf = (path: string): PermissionName | undefined => byPath.get(path)
