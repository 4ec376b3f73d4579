import { refuse } from '../../errors.ts'
import { recordEvent } from '../../platform/audit/record-event.ts'
import { addressKey } from '../../platform/limits/address-queue.ts'
import { LIMITS } from '../../platform/limits/limits.ts'
import { verificationMail } from '../../platform/mail/messages.ts'
import { queueMail } from '../../platform/mail/queue-mail.ts'
import type { Services } from '../../platform/services.ts'
import type { Trx } from '../../storage/database.ts'
import type { SignedInActor } from '../sessions/actor.ts'
import { changeOwnAccount } from '../sessions/lock-actor.ts'
import { readNames } from '../users/settings-store.ts'
import { findUser, markEmailConfirmed } from '../users/user-store.ts'
import type { User } from '../users/user.ts'
import { consumeEmailToken, findEmailTokenOwner, issueEmailToken } from './email-tokens.ts'
import { signInErrors } from './sign-in-errors.ts'

export async function sendVerification(
  services: Pick<Services, 'config' | 'now' | 'random' | 'vault'>,
  trx: Trx,
  user: Pick<User, 'id' | 'email' | 'locale'>,
): Promise<void> {
  const token = await issueEmailToken(services, trx, 'verification', user)
  await queueMail(services, trx, verificationMail(await readNames(trx, services.config, user), user.email, token))
}

/** Sends the link again. Beyond the limit it sends nothing, with the same answer. */
export async function resendVerification(services: Services, actor: SignedInActor): Promise<void> {
  const { db, limits } = services
  const user = await findUser(db.read, actor.id)
  if (!user || user.email_verified) return
  const within = await Promise.all([
    limits.fail(LIMITS.mailByEmailAndAddress, `${user.email} ${addressKey(actor.source.ipAddress)}`),
    limits.fail(LIMITS.mailByAddress, addressKey(actor.source.ipAddress)),
  ])
  if (!within.every(Boolean)) return
  await changeOwnAccount(services, actor, (trx) => sendVerification(services, trx, user))
}

/**
 * Confirms the address of the account that the person is signed in to. The session is needed because a stranger may have
 * registered the address: its owner, who opens the link in good faith, would confirm the account of that stranger.
 */
export const verifyEmail = (services: Services, token: string, actor: SignedInActor): Promise<void> =>
  changeOwnAccount(services, actor, async (trx) => {
    const owner = await findEmailTokenOwner(trx, token, ['verification'], services.now())
    if (owner && owner.id !== actor.id) refuse(signInErrors.link_of_another_account())
    if (!owner || !(await consumeEmailToken(trx, token, services.now()))) refuse(signInErrors.link_expired())
    await markEmailConfirmed(trx, actor.id)
    await recordEvent(services, trx, {
      action: 'user.email_verified',
      outcome: 'success',
      actor,
      target: { type: 'user', id: actor.id },
    })
  })
