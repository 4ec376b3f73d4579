import type { Trx } from '../../storage/database.ts'
import type { AccessEvents, AccessSubscriber, IdentityServices } from '../access-events.ts'
import { publish } from '../access-events.ts'
import { deleteSecondStep, findTotp } from './second-step-store.ts'

/**
 * A reset by mail leaves the second step, because whoever reads the mail would pass it by. It goes where somebody else may
 * have added it: before the address was ever confirmed, or around a change of the address.
 */
export const secondStepSubscriber: AccessSubscriber = {
  on: {
    account_ended: 'nothing',
    signed_out: 'nothing',
    async account_taken_over(services, trx, { userId, since = 0, keep }) {
      if (keep === undefined) await removeIfAddedSince(services, trx, userId, since)
      return {}
    },
    sessions_ended: 'nothing',
    credential_changed: 'nothing',
    role_assigned: 'nothing',
    async addition_disowned(services, trx, { userId, addition }) {
      if (addition.kind !== 'totp') return {}
      return { secondSteps: Number(await removeIfAddedSince(services, trx, userId, Number(addition.id))) }
    },
    username_changed: 'nothing',
    attributes_changed: 'nothing',
    role_unassigned: 'nothing',
    role_renamed: 'nothing',
    role_deletion: 'nothing',
    role_reduced: 'nothing',
  },
  roleChangeCheck: undefined,
  roleLossCheck: undefined,
  tells: undefined,
}

async function removeIfAddedSince(
  services: Pick<IdentityServices, 'now' | 'accessSubscribers'>,
  trx: Trx,
  userId: string,
  since: number,
): Promise<boolean> {
  const totp = await findTotp(trx, userId)
  if (!totp || (totp.since ?? since) < since) return false
  await removeSecondStep(services, trx, { userId, by: 'owner' })
  return totp.since !== null
}

/** Removes the second step, and tells the other areas. The account is locked. */
export async function removeSecondStep(
  services: Pick<IdentityServices, 'now' | 'accessSubscribers'>,
  trx: Trx,
  change: Pick<AccessEvents['credential_changed'], 'userId' | 'by'>,
): Promise<void> {
  await deleteSecondStep(trx, change.userId)
  await publish(services, trx, 'credential_changed', { ...change, change: 'deleted', credential: { kind: 'totp' } })
}
