import { refuse } from '../../errors.ts'
import { recordEvent } from '../../platform/audit/record-event.ts'
import type { Services } from '../../platform/services.ts'
import type { Reader, Trx } from '../../storage/database.ts'
import { isDuplicate } from '../../storage/failure.ts'
import { LINKS_TO_ADDRESS } from '../../vocabulary/link-purposes.ts'
import { addRegistrationChallenge } from '../passkeys/challenge-store.ts'
import { passkeySignIn } from '../passkeys/login-with-passkey.ts'
import { passkeyErrors } from '../passkeys/passkey-errors.ts'
import { defaultPasskeyName, refuseMarkup } from '../passkeys/passkey-name.ts'
import { addPasskey } from '../passkeys/passkey-store.ts'
import { verifyNewPasskey, creationOptionsFor } from '../passkeys/register-passkey.ts'
import type { CreationOptions } from '../passkeys/webauthn-contracts.ts'
import type { SignedInSession } from '../sessions/start-session.ts'
import { updatePasswordHash } from '../sign-in/change-password.ts'
import {
  consumeEmailToken,
  deleteEmailTokens,
  type EmailTokenOwner,
  findEmailTokenOwner,
} from '../sign-in/email-tokens.ts'
import type { SignInSource } from '../sign-in/sign-in-source.ts'
import { signIn } from '../sign-in/sign-in.ts'
import { lockAccount } from '../users/lock-user.ts'
import { normalizePassword, refuseWeakPassword } from '../users/password-rules.ts'
import { findUser, markEmailConfirmed, updateUser } from '../users/user-store.ts'
import { profileColumns, type User } from '../users/user.ts'
import { manageUsersErrors } from './manage-users-errors.ts'

export type AcceptRequest = { token: string; displayName?: string } & (
  | { password: string }
  | { response: unknown; name?: string }
)

/** What the person chose to sign in with, verified: stores it, and says how the session is marked. */
interface Chosen {
  store(trx: Trx): Promise<void>
  session: { method: 'password' | 'passkey'; amr: string[]; remember: boolean }
}

/**
 * Sets up an account with the link of its invitation: a name, and a password or a passkey. The link proves that its holder
 * receives mail at the address, so the address counts as confirmed. Signs the person in.
 */
export async function acceptInvitation(
  services: Services,
  request: AcceptRequest,
  source: SignInSource,
): Promise<{ user: User; session: SignedInSession }> {
  const { db, now } = services
  // Checked first, so that an invalid link costs no password hash.
  const owner = await requireInvitation(db.read, request.token, now())
  const chosen =
    'password' in request
      ? await choosePassword(services, owner, request, source)
      : await choosePasskey(services, owner, request, source)
  try {
    return await db.transaction(async (trx) => {
      if (!(await lockAccount(trx, owner.id))) refuseInvitation()
      await requireInvitation(trx, request.token, now())
      if (!(await consumeEmailToken(trx, request.token, now()))) refuseInvitation()
      await deleteEmailTokens(trx, owner.id, LINKS_TO_ADDRESS)
      await chosen.store(trx)
      await markEmailConfirmed(trx, owner.id)
      const { displayName } = request
      const user = await updateUser(trx, owner.id, displayName === undefined ? {} : profileColumns({ displayName }))
      if (!user) return refuseInvitation()
      await recordEvent(services, trx, {
        action: 'user.invitation_accepted',
        outcome: 'success',
        method: chosen.session.method,
        actor: { ...owner, source },
        target: { type: 'user', id: owner.id },
      })
      const session = await signIn(services, trx, { user, ...chosen.session, source })
      return { user: (await findUser(trx, owner.id)) ?? user, session }
    })
  } catch (error) {
    if (isDuplicate(error, 'passkeys.credential_id')) refuse(passkeyErrors.passkey_registered_already())
    throw error
  }
}

/** Options for creating the passkey of an invited person. */
export async function invitationPasskeyOptions(services: Services, token: string): Promise<CreationOptions> {
  const { db, now } = services
  const owner = await requireInvitation(db.read, token, now())
  const options = await creationOptionsFor(services, owner)
  await db.transaction(async (trx) => {
    await lockAccount(trx, owner.id)
    await requireInvitation(trx, token, now())
    await addRegistrationChallenge(trx, owner.id, options.challenge, now())
  })
  return options
}

export const requireInvitation = async (db: Reader, token: string, now: number): Promise<EmailTokenOwner> =>
  (await findEmailTokenOwner(db, token, ['invitation'], now)) ?? refuseInvitation()

const refuseInvitation = (): never => refuse(manageUsersErrors.invitation_expired())

async function choosePassword(
  services: Services,
  owner: EmailTokenOwner,
  request: { password: string; displayName?: string },
  source: SignInSource,
): Promise<Chosen> {
  const password = normalizePassword(request.password)
  const account = (await findUser(services.db.read, owner.id)) ?? owner
  const person = { ...account, ...(request.displayName === undefined ? {} : { displayName: request.displayName }) }
  await refuseWeakPassword(services, { field: 'password', password, person, address: source.ipAddress })
  const hash = await services.passwords.hash(password, source.ipAddress)
  return {
    store: (trx) => updatePasswordHash(trx, owner.id, hash),
    session: { method: 'password', amr: ['pwd'], remember: false },
  }
}

async function choosePasskey(
  services: Services,
  owner: EmailTokenOwner,
  request: { response: unknown; name?: string },
  source: SignInSource,
): Promise<Chosen> {
  refuseMarkup(request.name ?? '')
  const actor = { ...owner, source }
  const facts = await verifyNewPasskey(services, actor, request.response)
  const { name = defaultPasskeyName(facts.aaguid) } = request
  return {
    async store(trx) {
      const { id } = await addPasskey(trx, { ...facts, userId: owner.id, name, createdAt: services.now() })
      await recordEvent(services, trx, {
        action: 'passkey.added',
        outcome: 'success',
        actor,
        target: { type: 'passkey', id },
        data: { name },
      })
    },
    session: passkeySignIn(facts.deviceType, facts.userVerified),
  }
}
