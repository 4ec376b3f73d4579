import { ADMIN_ROLE } from '../src/identity/access/built-in-roles.ts'
import { skipEscalationCheck } from '../src/identity/access/checked-trx.ts'
import type { ClaimMapping } from '../src/oauth/claims/claim-mapping.ts'
import { replaceAllowedRoles } from '../src/oauth/clients/allowed-role-store.ts'
import { settingColumns, settingsOf } from '../src/oauth/clients/client-settings.ts'
import { readClient, updateClientRow } from '../src/oauth/clients/client-store.ts'
import { openServices } from '../src/open-services.ts'
import { readConfig } from '../src/platform/config/config.ts'
import { createLogger } from '../src/platform/http/log.ts'
import { ISSUER, SECRET_KEY } from './fixture.ts'

const EVERYWHERE: ClaimMapping['in'] = ['id_token', 'userinfo', 'introspection']
const CLAIMS: ClaimMapping[] = [
  { name: 'groups', in: EVERYWHERE, from: 'roles' },
  { name: 'tenant', in: EVERYWHERE, value: 'north' },
  { name: 'department', in: EVERYWHERE, from: 'attribute', attribute: 'department' },
  { name: 'level', in: EVERYWHERE, whenRole: { roleId: ADMIN_ROLE, then: 'full', else: 'none' } },
]

/** Lets only the holders of a role use the application, and tells it their groups and three more claims. */
export async function restrictApplication(databaseUrl: string, dataDir: string, clientId: string): Promise<void> {
  const config = readConfig({ DATA_DIR: dataDir, DATABASE_URL: databaseUrl, SECRET_KEY, BASE_URL: ISSUER })
  const services = await openServices(config, { log: createLogger('silent'), now: Date.now })
  try {
    await services.db.transaction(async (unjudged) => {
      const trx = skipEscalationCheck(unjudged)
      const client = await readClient(trx, clientId)
      if (!client) throw new Error('The application is missing.')
      const settings = { ...settingsOf(client), allowedRoles: [ADMIN_ROLE], claims: CLAIMS }
      await updateClientRow(trx, clientId, settingColumns(client.clientType, settings))
      await replaceAllowedRoles(trx, clientId, settings.allowedRoles)
      await trx
        .updateTable('roles')
        .set({ attributes: JSON.stringify({ department: 'Engineering' }) })
        .where('id', '=', ADMIN_ROLE)
        .execute()
    })
  } finally {
    await services.close()
  }
}
