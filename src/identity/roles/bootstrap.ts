import { AppError, refuse } from '../../errors.ts'
import { recordAlone, recordEvent } from '../../platform/audit/record-event.ts'
import { equalInConstantTime } from '../../platform/crypto/digest.ts'
import { addressKey } from '../../platform/limits/address-queue.ts'
import { LIMITS } from '../../platform/limits/limits.ts'
import type { Services } from '../../platform/services.ts'
import { hasAdministrator } from '../access/administrator-store.ts'
import { ADMIN_ROLE } from '../access/built-in-roles.ts'
import { skipEscalationCheck } from '../access/checked-trx.ts'
import { addAssignment } from '../access/role-store.ts'
import type { SignedInActor } from '../sessions/actor.ts'
import { lockAdministration } from '../sessions/administration-store.ts'
import { lockActor } from '../sessions/lock-actor.ts'
import { findUser } from '../users/user-store.ts'
import type { User } from '../users/user.ts'

type Needs = Pick<Services, 'db' | 'now' | 'limits' | 'bootstrapSecret'>

/** Makes the caller the first administrator. The secret is checked before anything else, and failed attempts are limited. */
export const bootstrap = (services: Needs, actor: SignedInActor, secret: string): Promise<User> =>
  services.limits.attempt(
    [[LIMITS.bootstrap, addressKey(actor.source?.ipAddress ?? '')]],
    async () => {
      const event = { action: 'administrator.bootstrapped', actor, target: { type: 'user', id: actor.id } } as const
      if (!equalInConstantTime(secret, services.bootstrapSecret)) {
        await recordAlone(services, { ...event, outcome: 'refused' })
        return refuse('wrong_secret', 'This is not the bootstrap secret.')
      }
      return services.db.transaction(async (trx) => {
        await lockAdministration(trx)
        await lockActor(trx, services, actor)
        if (await hasAdministrator(trx)) refuse('conflict', 'There is an administrator already.')
        await addAssignment(skipEscalationCheck(trx), actor.id, ADMIN_ROLE)
        await recordEvent(services, trx, { ...event, outcome: 'success' })
        return (await findUser(trx, actor.id)) ?? refuse('unauthenticated', 'Please sign in.')
      })
    },
    (error) => error instanceof AppError && error.code === 'wrong_secret',
  )
