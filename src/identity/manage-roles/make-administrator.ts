import { refuse, atField, AppError } from '../../errors.ts'
import { recordAlone, recordEvent, THE_SERVICE } from '../../platform/audit/record-event.ts'
import { equalInConstantTime } from '../../platform/crypto/digest.ts'
import { addressKey } from '../../platform/limits/address-queue.ts'
import { LIMITS } from '../../platform/limits/limits.ts'
import type { Trx } from '../../storage/database.ts'
import { ADMIN_ROLE } from '../../vocabulary/built-in-roles.ts'
import { type IdentityServices, publish } from '../access-events.ts'
import { hasAdministrator } from '../roles/administrators.ts'
import { skipEscalationCheck } from '../roles/checked-trx.ts'
import { roleErrors, operatorErrors } from '../roles/role-errors.ts'
import { addAssignment, requireRole } from '../roles/role-store.ts'
import type { SignedInActor } from '../sessions/actor.ts'
import { lockAdministration } from '../sessions/administer.ts'
import { lockActor } from '../sessions/lock-actor.ts'
import { sessionErrors } from '../sessions/session-errors.ts'
import { mayAct } from '../users/account-state.ts'
import { normalizeEmail } from '../users/email-address.ts'
import { lockUser } from '../users/lock-user.ts'
import { updateSetting } from '../users/settings-store.ts'
import { findUser, findAccountByEmail } from '../users/user-store.ts'
import type { User } from '../users/user.ts'

type BootstrapServices = Pick<IdentityServices, 'db' | 'now' | 'limits' | 'bootstrapSecret' | 'accessSubscribers'>

/** Makes the caller the first administrator. The secret is checked before anything else, and failed attempts are limited. */
export const bootstrap = (
  services: BootstrapServices,
  { secret, freshSignIn }: { secret: string; freshSignIn?: boolean },
  actor: SignedInActor,
): Promise<User> =>
  services.limits.attempt(
    [[LIMITS.bootstrap, addressKey(actor.source?.ipAddress ?? '')]],
    async () => {
      const event = { action: 'administrator.bootstrapped', actor, target: { type: 'user', id: actor.id } } as const
      if (!equalInConstantTime(secret, services.bootstrapSecret)) {
        await recordAlone(services, { ...event, outcome: 'refused' })
        throw atField('secret', roleErrors.bootstrap_secret_wrong())
      }
      return services.db.transaction(async (trx) => {
        await lockAdministration(trx)
        await lockActor(trx, services, actor)
        if (await hasAdministrator(trx)) refuse(roleErrors.administrator_exists())
        await makeAdministrator(services, trx, actor.id)
        if (freshSignIn !== undefined) await updateSetting(trx, 'freshSignIn', freshSignIn)
        await recordEvent(services, trx, { ...event, outcome: 'success' })
        return (await findUser(trx, actor.id)) ?? refuse(sessionErrors.not_signed_in())
      })
    },
    (error) => error instanceof AppError && error.code === 'wrong_secret',
  )

/**
 * Makes a user an administrator, for the operator on the command line. Permissions are read at each request, so it holds on
 * every replica at once. `granted` is false when the user was an administrator before.
 */
export const grantAdministrator = (
  services: Pick<IdentityServices, 'db' | 'now' | 'accessSubscribers'>,
  email: string,
): Promise<{ granted: boolean; email: string }> =>
  services.db.transaction(async (trx) => {
    await lockAdministration(trx)
    const account = await findAccountByEmail(trx, normalizeEmail(email))
    if (!account) return refuse(operatorErrors.no_account_with_email({ email }))
    const { id, email: found } = account.user
    if (!mayAct(account)) refuse(operatorErrors.account_to_enable_first({ email: found }))
    await lockUser(trx, id)
    const granted = await makeAdministrator(services, trx, id)
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

/** False when they are one already. */
async function makeAdministrator(
  services: Pick<IdentityServices, 'now' | 'accessSubscribers'>,
  trx: Trx,
  userId: string,
): Promise<boolean> {
  if (!(await addAssignment(skipEscalationCheck(trx), { userId, roleId: ADMIN_ROLE, now: services.now() })))
    return false
  await publish(services, trx, 'role_assigned', { userId, role: await requireRole(trx, ADMIN_ROLE) })
  return true
}
