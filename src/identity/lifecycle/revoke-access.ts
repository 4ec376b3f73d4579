import type { Trx } from '../../storage/database.ts'
import { publish, type AccessEvents, type IdentityServices } from '../access-events.ts'
import type { Ended } from '../receipts/receipt.ts'
import { endSessionsOfUsers } from '../sessions/end-sessions.ts'
import { deleteEmailTokensOfUsers } from '../sign-in/email-tokens.ts'
import { deleteKnownBrowsersOfUsers } from '../sign-in/known-browsers.ts'
import { lockUsers } from '../users/lock-user.ts'

/**
 * Ends all access of these users in one transaction. What other areas gave comes last: all revocations of certificates update one
 * row, and no transaction should keep it locked while it waits for another row.
 */
export async function revokeAccess(
  services: Pick<IdentityServices, 'now' | 'signals' | 'accessSubscribers'>,
  trx: Trx,
  userIds: string[],
  { by, actionIds }: Pick<AccessEvents['account_ended'], 'by' | 'actionIds'>,
): Promise<Map<string, Ended>> {
  if (userIds.length === 0) return new Map()
  await lockUsers(trx, userIds)
  const sessions = await endSessionsOfUsers(services, trx, userIds)
  await deleteEmailTokensOfUsers(trx, userIds)
  await deleteKnownBrowsersOfUsers(trx, userIds)
  const { tokens, certificates } = await publish(services, trx, 'account_ended', {
    userIds,
    by,
    ...(actionIds && { actionIds }),
  })
  return new Map(
    userIds.map((id) => [
      id,
      { sessions: sessions.get(id) ?? 0, tokens: tokens?.get(id) ?? 0, certificates: certificates?.get(id) ?? 0 },
    ]),
  )
}
