import { refuse } from '../../errors.ts'
import { recordEvent } from '../../platform/audit/record-event.ts'
import { resetMailByAdministrator } from '../../platform/mail/messages.ts'
import { queueMail } from '../../platform/mail/queue-mail.ts'
import type { Services } from '../../platform/services.ts'
import { refuseIfHoldsMore } from '../access/holdings.ts'
import { notify } from '../notifications/notify.ts'
import type { SignedInActor } from '../sessions/actor.ts'
import { administer } from '../sessions/administer.ts'
import { issueEmailToken } from '../sign-in/issue-email-token.ts'
import { mayAct } from '../users/account-standing.ts'
import { readNames } from '../users/settings-store.ts'
import { lockAccount } from '../users/user-lock-store.ts'

/** Sends a person the link to set a new password. Nothing changes until the person uses it. */
export const sendPasswordReset = (services: Services, userId: string, actor: SignedInActor): Promise<void> =>
  administer(services, actor, async (trx, held) => {
    const account = (await lockAccount(trx, userId)) ?? refuse('not_found', 'There is no such user.')
    // Nobody but its owner reads a confirmed address. Another one may be that of whoever asks for the reset.
    await refuseIfHoldsMore(trx, held, userId, account.user.email_verified ? 'permissions' : 'everything')
    if (!mayAct(account)) refuse('conflict', 'This account is disabled.')
    const token = await issueEmailToken(services, trx, 'reset', account.user)
    await queueMail(
      services,
      trx,
      resetMailByAdministrator(await readNames(trx, services.config, account.user), account.user.email, token),
    )
    await notify(services, trx, userId, 'security.password_reset_sent', {})
    await recordEvent(services, trx, {
      action: 'user.password_reset_sent',
      outcome: 'success',
      actor,
      target: { type: 'user', id: userId },
    })
  })
