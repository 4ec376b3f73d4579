import { Type } from 'typebox'
import { refuse } from '../../errors.ts'
import { listGrants } from '../../oauth/consents/grant-store.ts'
import { OAuthGrant } from '../../oauth/consents/grant.ts'
import { Nullable } from '../../platform/http/contracts.ts'
import type { Services } from '../../platform/services.ts'
import { listAppPasswords, AppPassword } from '../../proxy/app-passwords/app-password-store.ts'
import { listCertificates, SshCertificate } from '../../ssh/certificates/certificate-store.ts'
import { listSshKeys, UserSshKey } from '../../ssh/issuing/ssh-key-store.ts'
import type { Permission } from '../../vocabulary/permissions.ts'
import { readHoldings } from '../access/holdings-store.ts'
import { listPasskeys } from '../passkeys/passkey-store.ts'
import { Passkey } from '../passkeys/passkey.ts'
import type { SignedInActor } from '../sessions/actor.ts'
import { listSessions } from '../sessions/session-store.ts'
import { Session } from '../sessions/session.ts'
import { findUser } from '../users/user-store.ts'
import { User } from '../users/user.ts'
import { LifecycleAction } from './lifecycle-action.ts'
import { listPendingActions } from './lifecycle-store.ts'

/** All that gives a person access. A part that the caller may not see is null. */
export const Access = Type.Object(
  {
    sessions: Nullable(Type.Array(Session)),
    passkeys: Type.Array(Passkey),
    sshKeys: Nullable(Type.Array(UserSshKey)),
    certificates: Nullable(Type.Array(SshCertificate, { description: 'Those that are still valid, newest first.' })),
    apps: Type.Array(OAuthGrant),
    appPasswords: Type.Array(AppPassword),
    roles: User.properties.roles,
    pendingActions: Nullable(Type.Array(LifecycleAction)),
  },
  { title: 'Access' },
)
export type Access = Type.Static<typeof Access>

/** Of lists that can grow; the log of certificates and the list of actions have pages. */
const MAX_LISTED = 200

/** What gives this person access, as the person sees it. */
export async function readAccess(
  { db, now }: Pick<Services, 'db' | 'now'>,
  userId: string,
  actor: SignedInActor,
): Promise<Access> {
  const user = (await findUser(db.read, userId)) ?? refuse('not_found', 'There is no such user.')
  const { permissions } = await readHoldings(db.read, actor.id)
  const readIf = async <T>(permission: Permission, read: () => Promise<T>): Promise<T | null> =>
    permissions.has(permission) ? read() : null
  const readCertificates = async () =>
    (await listCertificates(db.read, { userId, state: 'valid' }, now(), MAX_LISTED)).certificates
  return {
    sessions: await readIf('users:lifecycle', () => listSessions(db.read, userId, actor.sessionId, now())),
    passkeys: await listPasskeys(db.read, userId),
    sshKeys: await readIf('ssh:cert:list', () => listSshKeys(db.read, userId, now())),
    certificates: await readIf('ssh:cert:list', readCertificates),
    apps: await listGrants(db.read, userId),
    appPasswords: await listAppPasswords(db.read, userId),
    roles: user.roles,
    pendingActions: await readIf('users:lifecycle', () =>
      listPendingActions(db.read, { userId, viewerId: actor.id, limit: MAX_LISTED }),
    ),
  }
}
