/** Who may use an application, while it is chosen. */
export type AccessDraft = { who: 'everybody' | 'roles' | 'nobody'; roleIds: string[] }

export const EVERYBODY: AccessDraft = { who: 'everybody', roleIds: [] }

export function accessDraft(allowedRoles: string[] | null): AccessDraft {
  if (allowedRoles === null) return EVERYBODY
  return { who: allowedRoles.length === 0 ? 'nobody' : 'roles', roleIds: allowedRoles }
}

/** Undefined while no role is chosen: an empty list would mean nobody. */
export function allowedRolesOf({ who, roleIds }: AccessDraft): string[] | null | undefined {
  if (who === 'everybody') return null
  if (who === 'nobody') return []
  return roleIds.length === 0 ? undefined : roleIds
}
