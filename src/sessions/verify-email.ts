import { recordEvent } from '../audit/record-event.ts'
import { refuse } from '../errors.ts'
import type { Caller } from '../http/caller.ts'
import { addressKey, LIMITS } from '../http/limits.ts'
import { verificationMail } from '../mail/messages.ts'
import { queueMail } from '../mail/queue-mail.ts'
import type { Services } from '../services.ts'
import type { Db } from '../storage/schema.ts'
import { findUser } from '../users/user-store.ts'
import { consumeEmailToken, findEmailTokenOwner, issueEmailToken } from './email-tokens.ts'

export async function sendVerification(
  services: Pick<Services, 'config' | 'now' | 'random' | 'vault'>,
  db: Db,
  user: { id: string; email: string },
): Promise<void> {
  const token = await issueEmailToken(services, db, 'verification', user)
  await queueMail(services, db, verificationMail(services.config, user.email, token))
}

/** Sends the link again, unless that was asked too often: then it only looks as if. */
export async function resendVerification(services: Services, userId: string, caller: Caller): Promise<void> {
  const { db, limits } = services
  const user = await findUser(db, userId)
  if (!user || user.email_verified) return
  const within = await Promise.all([
    limits.fail(LIMITS.mailByEmail, user.email),
    limits.fail(LIMITS.mailByAddress, addressKey(caller.ipAddress)),
  ])
  if (within.every(Boolean)) await db.transaction().execute((trx) => sendVerification(services, trx, user))
}

export async function verifyEmail(services: Services, token: string, caller: Caller): Promise<void> {
  const { db, now } = services
  await db.transaction().execute(async (trx) => {
    const owner = await findEmailTokenOwner(trx, token, ['verification'], now())
    if (!owner || !(await consumeEmailToken(trx, token, now()))) {
      return refuse('invalid_token', 'This link is no longer valid. Ask for a new one.')
    }
    await trx.updateTable('users').set({ email_verified: 1 }).where('id', '=', owner.id).execute()
    return recordEvent(services, trx, {
      action: 'user.email_verified',
      outcome: 'success',
      actor: { id: owner.id, email: owner.email, caller },
      target: { type: 'user', id: owner.id },
    })
  })
}
