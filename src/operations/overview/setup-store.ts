import { SSH_CLIENT_ID } from '../../oauth/clients/client.ts'
import type { Reader } from '../../storage/database.ts'

/** Whether there is an application of somebody's own, and a host. */
export async function countSetUp(db: Reader): Promise<{ application: boolean; host: boolean }> {
  const application = await db
    .selectFrom('oauth_clients')
    .select('client_id')
    .where('deleted_at', 'is', null)
    .where('client_id', '!=', SSH_CLIENT_ID)
    .limit(1)
    .execute()
  const host = await db.selectFrom('ssh_hosts').select('id').limit(1).execute()
  return { application: application.length > 0, host: host.length > 0 }
}
