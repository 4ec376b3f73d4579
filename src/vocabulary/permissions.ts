/** The catalogue of permissions: every one there is, and what it allows. */
const CATALOGUE = {
  'users:read': 'See all users and their details.',
  'users:write': 'Create users and change their attributes.',
  'users:delete': 'Delete users for good.',
  'users:lifecycle': 'Disable and enable accounts, now or at a set time.',
  'roles:read': 'See roles and who has them.',
  'roles:write': 'Create, change and delete roles.',
  'roles:assign': 'Give roles to users and take them away.',
  'permissions:read': 'See this catalogue.',
  'oauth_clients:read': 'See registered applications.',
  'oauth_clients:write': 'Register, change and delete applications.',
  'ssh:keys:manage': 'Keep SSH public keys of their own.',
  'ssh:cert:issue': 'Get SSH certificates for their own keys.',
  'ssh:cert:list': 'See the log of all SSH certificates.',
  'ssh:cert:revoke': 'Revoke any SSH certificate.',
  'ssh:hosts:manage': 'Enroll hosts, and say whose certificates they accept.',
  'audit:read': 'Read the audit trail.',
  'webhooks:manage': 'Say which services outside are told what happens. It needs audit:read too.',
  'settings:manage': 'Change the settings of the service.',
} as const

export type Permission = keyof typeof CATALOGUE

export const PERMISSIONS = Object.keys(CATALOGUE) as Permission[]

export const isPermission = (name: string): name is Permission => Object.hasOwn(CATALOGUE, name)

export const describePermission = (id: Permission) => ({ id, name: id, description: CATALOGUE[id] })
