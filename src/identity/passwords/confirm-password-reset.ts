import { refuse, refuseField } from '../../errors.ts'
import { recordEvent } from '../../platform/audit/record-event.ts'
import type { Trx } from '../../storage/database.ts'
import { type Ending, type IdentityServices, type KeptAccess, publish } from '../access-events.ts'
import { consumeEmailToken, findEmailTokenOwner } from '../sign-in/email-token-store.ts'
import { deleteKnownBrowsersOfUsers } from '../sign-in/known-browser-store.ts'
import { rememberBrowser } from '../sign-in/remember-browser.ts'
import type { SignInSource } from '../sign-in/sign-in-source.ts'
import { normalizePassword, refuseWeakPassword } from '../users/password-rules.ts'
import { lockAccount } from '../users/user-lock-store.ts'
import { type Account, findUser, markEmailConfirmed, updateUser } from '../users/user-store.ts'
import { setPassword } from './set-password.ts'

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
    await setPassword(services, trx, { userId: owner.id, passwordHash, by: 'password_reset' })
    await deleteKnownBrowsersOfUsers(trx, [owner.id])
    await markEmailConfirmed(trx, owner.id)
    const removed = await settleAccess(services, trx, account, request.keep)
    await recordEvent(services, trx, {
      action: 'user.password_reset',
      outcome: 'success',
      actor: { id: owner.id, email: owner.email, source },
      target: { type: 'user', id: owner.id },
      data: removed ? { removed } : {},
    })
    return { browserTokens: await rememberBrowser(services, trx, owner.id, source) }
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
  if (keep && !reviewsAccess) refuseField('keep', 'Nothing is to be decided with this link.')
  if (!keep && !neverConfirmed) return undefined
  await updateUser(trx, id, { review_access: 0 })
  const kept = keep && !neverConfirmed ? { keep } : {}
  return publish(services, trx, 'account_taken_over', { userId: id, ...kept })
}

export const refuseInvalidLink = (): never =>
  refuse('invalid_token', 'This link is no longer valid. Ask for a new one.')
