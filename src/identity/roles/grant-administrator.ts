import { refuse } from '../../errors.ts'
import { recordEvent, THE_SERVICE } from '../../platform/audit/record-event.ts'
import type { Services } from '../../platform/services.ts'
import { ADMIN_ROLE } from '../access/built-in-roles.ts'
import { skipEscalationCheck } from '../access/checked-trx.ts'
import { addAssignment } from '../access/role-store.ts'
import { lockAdministration } from '../sessions/administration-store.ts'
import { mayAct } from '../users/account-standing.ts'
import { normalizeEmail } from '../users/email-address.ts'
import { findAccountByEmail } from '../users/user-store.ts'

/**
 * Makes a user an administrator, for the operator on the command line. Permissions are read at each request, so it holds on
 * every replica at once. `granted` is false when the user was an administrator before.
 */
export const grantAdministrator = (
  services: Pick<Services, 'db' | 'now'>,
  email: string,
): Promise<{ granted: boolean; email: string }> =>
  services.db.transaction(async (trx) => {
    await lockAdministration(trx)
    const account = await findAccountByEmail(trx, normalizeEmail(email))
    if (!account) return refuse('not_found', `There is no account with the email ${email}.`)
    const { id, email: found } = account.user
    if (!mayAct(account)) refuse('conflict', `The account ${found} is disabled. Enable it first.`)
    const granted = await addAssignment(skipEscalationCheck(trx), id, ADMIN_ROLE)
    if (granted) {
      await recordEvent(services, trx, {
        action: 'role.assigned',
        outcome: 'success',
        actor: THE_SERVICE,
        target: { type: 'user', id },
        data: { roleId: ADMIN_ROLE, role: 'admin', by: 'latchkey admin grant' },
      })
    }
    return { granted, email: found }
  })
