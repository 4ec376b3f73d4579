import { addressKey } from '../../platform/limits/address-queue.ts'
import { LIMITS } from '../../platform/limits/limits.ts'
import { resetMail } from '../../platform/mail/messages.ts'
import { queueMail } from '../../platform/mail/queue-mail.ts'
import type { Services } from '../../platform/services.ts'
import { issueEmailToken } from '../sign-in/issue-email-token.ts'
import { findKnownBrowser } from '../sign-in/password-limits.ts'
import type { SignInSource } from '../sign-in/sign-in-source.ts'
import { normalizeEmail } from '../users/email-address.ts'
import { readNames } from '../users/settings-store.ts'
import { findAccountByEmail } from '../users/user-store.ts'
import { addResetRequest, consumeResetRequest, listResetRequests } from './password-store.ts'

/**
 * Stores the request. Whether there is such an account is looked up later, by a background job, so that a known and an
 * unknown email take the same time. Requests are counted by remote address, and those of a known browser apart, so that
 * the requests of strangers do not use up the owner's.
 */
export async function requestPasswordReset(
  services: Services,
  request: { email: string },
  source: SignInSource,
): Promise<void> {
  const { db, now, limits } = services
  const email = normalizeEmail(request.email)
  const browser = await findKnownBrowser(services, email, source)
  const address = addressKey(source.ipAddress)
  const within =
    browser === undefined
      ? await Promise.all([
          limits.fail(LIMITS.mailByEmailAndAddress, `${email} ${address}`),
          limits.fail(LIMITS.mailByAddress, address),
        ])
      : [await limits.fail(LIMITS.mailByKnownBrowser, browser)]
  if (within.every(Boolean)) await db.transaction((trx) => addResetRequest(trx, email, now()))
}

const BATCH = 50

/** Turns stored requests into mails. Deleting a request and queueing its mail are one transaction: neither is lost or doubled. */
export async function answerResetRequests(services: Services): Promise<void> {
  const { db, config } = services
  for (const id of await listResetRequests(db.read, BATCH)) {
    await db.transaction(async (trx) => {
      const email = await consumeResetRequest(trx, id)
      const account = email === undefined ? undefined : await findAccountByEmail(trx, email)
      if (!account || account.disabledAt !== null) return
      const token = await issueEmailToken(services, trx, 'reset', account.user)
      await queueMail(services, trx, resetMail(await readNames(trx, config, account.user), account.user.email, token))
    })
  }
}
