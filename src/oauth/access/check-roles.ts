import { refuseField } from '../../errors.ts'
import type { Trx } from '../../storage/database.ts'
import { rolesOfMappings } from '../claims/claim-mapping.ts'
import type { Settings } from '../clients/client-settings.ts'
import { rolesOfRules } from '../sites/site-rule.ts'
import { listExistingRoles } from './allowed-role-store.ts'

/** Refuses settings that name a role which does not exist. */
export async function checkRoles(trx: Trx, { allowedRoles, claims, rules }: Partial<Settings>): Promise<void> {
  const named = [
    ...(allowedRoles ?? []).map((roleId, at) => ({ path: `allowedRoles/${at}`, roleId })),
    ...rolesOfMappings(claims ?? []),
    ...rolesOfRules(rules ?? []),
  ]
  const existing = await listExistingRoles(trx, [...new Set(named.map(({ roleId }) => roleId))])
  for (const { path, roleId } of named) if (!existing.has(roleId)) refuseField(path, 'There is no such role.')
}
