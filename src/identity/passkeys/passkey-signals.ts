import type { Services } from '../../platform/services.ts'
import type { Reader } from '../../storage/database.ts'
import { findLacking } from '../roles/role-demands.ts'
import type { SignedInActor } from '../sessions/actor.ts'
import { hasPasskeyOffer } from '../sessions/session-store.ts'
import { findUser } from '../users/user-store.ts'
import { userHandleOf } from './challenge-store.ts'
import { listPasskeys } from './passkey-store.ts'
import type { PasskeySignals } from './webauthn-contracts.ts'

// Apart from the ceremonies, whose library is not needed for this.

/** What the page tells the browser after a sign-in and after changes, so that password managers offer no passkey that is gone. */
export async function passkeySignals(
  services: Pick<Services, 'config' | 'db' | 'now'>,
  actor: SignedInActor,
): Promise<PasskeySignals> {
  const { config, db } = services
  const [passkeys, names, mayCreate] = await Promise.all([
    listPasskeys(db.read, actor.id),
    namesOnPasskeys(db.read, actor),
    mayMakePasskey(services, db.read, actor),
  ])
  return {
    rpId: config.rpId,
    userId: Buffer.from(userHandleOf(actor.id)).toString('base64url'),
    allAcceptedCredentialIds: passkeys.map(({ credentialId }) => credentialId),
    ...names,
    mayCreate,
  }
}

/** How password managers show the passkeys of an account. */
export async function namesOnPasskeys(
  db: Reader,
  { id, email }: { id: string; email: string },
): Promise<{ name: string; displayName: string }> {
  const user = await findUser(db, id)
  const name = user?.email ?? email
  return { name, displayName: user?.displayName ?? name }
}

/** Whether the browser of this session may now make a passkey by itself: never for somebody of whom a role demands one, as it would not do. */
export const mayMakePasskey = async (
  { now }: Pick<Services, 'now'>,
  db: Reader,
  { id, sessionId }: Pick<SignedInActor, 'id' | 'sessionId'>,
): Promise<boolean> =>
  (await hasPasskeyOffer(db, sessionId, now())) && (await findLacking(db, id))?.demand !== 'passkey'
