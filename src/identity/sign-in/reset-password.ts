import { refuse, atField } from '../../errors.ts'
import { recordEvent } from '../../platform/audit/record-event.ts'
import { newId } from '../../platform/ids.ts'
import { addressKey } from '../../platform/limits/address-queue.ts'
import { LIMITS } from '../../platform/limits/limits.ts'
import { resetMail } from '../../platform/mail/messages.ts'
import { queueMail } from '../../platform/mail/queue-mail.ts'
import type { Services } from '../../platform/services.ts'
import type { Trx, Reader } from '../../storage/database.ts'
import { publish, type Ending, type IdentityServices, type KeptAccess } from '../access-events.ts'
import { normalizeEmail } from '../users/email-address.ts'
import { lockAccount } from '../users/lock-user.ts'
import { normalizePassword, refuseWeakPassword } from '../users/password-rules.ts'
import { readNames } from '../users/settings-store.ts'
import { findAccountByEmail, findUser, markEmailConfirmed, updateUser, type Account } from '../users/user-store.ts'
import { setPassword } from './change-password.ts'
import { issueEmailToken, consumeEmailToken, findEmailTokenOwner } from './email-tokens.ts'
import { deleteKnownBrowsersOfUsers, rememberBrowser } from './known-browsers.ts'
import { findKnownBrowser } from './password-limits.ts'
import { signInErrors } from './sign-in-errors.ts'
import type { SignInSource } from './sign-in-source.ts'

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

/**
 * Sets a password with the link of a reset or invitation mail, and ends every session and app password. This browser becomes the only known
 * one of the account. The link proves that its holder receives mail at the address, so the address counts as confirmed. If
 * that is the first proof for an account that registered itself, a stranger may have registered it: what was added to the
 * account before is removed. If the address was taken back, the owner has seen what is left and says what to keep.
 */
export async function confirmPasswordReset(
  services: IdentityServices,
  request: { token: string; newPassword: string; keep?: KeptAccess },
  source: SignInSource,
): Promise<{ browserTokens: string[] }> {
  const { db, now, passwords } = services
  // Checked first, so that an invalid link costs no password hash.
  const owner =
    (await findEmailTokenOwner(db.read, request.token, ['reset', 'invitation'], now())) ?? refuseInvalidLink()
  const password = normalizePassword(request.newPassword)
  const person = (await findUser(db.read, owner.id)) ?? owner
  await refuseWeakPassword(services, { field: 'newPassword', password, person, address: source.ipAddress })
  const passwordHash = await passwords.hash(password, source.ipAddress)

  return db.transaction(async (trx) => {
    const account = await lockAccount(trx, owner.id)
    const stillValid = await findEmailTokenOwner(trx, request.token, ['reset', 'invitation'], now())
    if (!account || !stillValid || !(await consumeEmailToken(trx, request.token, now()))) return refuseInvalidLink()
    const actor = { id: owner.id, email: owner.email, source }
    await setPassword(services, trx, { userId: owner.id, passwordHash, by: 'password_reset', actor })
    await deleteKnownBrowsersOfUsers(trx, [owner.id])
    await markEmailConfirmed(trx, owner.id)
    const removed = await settleAccess(services, trx, account, request.keep)
    await recordEvent(services, trx, {
      action: 'user.password_reset',
      outcome: 'success',
      actor,
      target: { type: 'user', id: owner.id },
      data: removed ? { removed } : {},
    })
    const { tokens: browserTokens } = await rememberBrowser(services, trx, owner.id, source)
    return { browserTokens }
  })
}

/**
 * After the address was taken back, whatever the owner does not keep goes, also what was added after the list was shown. A
 * caller that knows nothing of the list, such as a page of an earlier version, keeps everything for now: the next link asks
 * again.
 */
async function settleAccess(
  services: Pick<IdentityServices, 'now' | 'accessSubscribers'>,
  trx: Trx,
  { user: { id }, neverConfirmed, reviewsAccess }: Account,
  keep: KeptAccess | undefined,
): Promise<Ending<'account_taken_over'> | undefined> {
  if (keep && !reviewsAccess) refuse(atField('keep', signInErrors.nothing_to_keep()))
  if (!keep && !neverConfirmed) return undefined
  await updateUser(trx, id, { review_access: 0 })
  const kept = keep && !neverConfirmed ? { keep } : {}
  return publish(services, trx, 'account_taken_over', { userId: id, ...kept })
}

export const refuseInvalidLink = (): never => refuse(signInErrors.link_expired())

async function addResetRequest(trx: Trx, email: string, now: number): Promise<void> {
  await trx.insertInto('reset_requests').values({ id: newId(), email, created_at: now }).execute()
}

/** The ids of the oldest ones. */
async function listResetRequests(db: Reader, limit: number): Promise<string[]> {
  const rows = await db.selectFrom('reset_requests').select('id').orderBy('created_at').limit(limit).execute()
  return rows.map(({ id }) => id)
}

/** Returns the email that it was made for. Reading and deleting are one statement, so only one replica gets it. */
async function consumeResetRequest(trx: Trx, id: string): Promise<string | undefined> {
  const row = await trx.deleteFrom('reset_requests').where('id', '=', id).returning('email').executeTakeFirst()
  return row?.email
}
