import { Type } from 'typebox'
import { refuse } from '../../errors.ts'
import { listGrants, OAuthGrant } from '../../oauth/authorizations/grant-store.ts'
import { Nullable, failures, type Routes, Success, success } from '../../platform/http/contracts.ts'
import type { Services } from '../../platform/services.ts'
import { AppPassword, listAppPasswords } from '../../proxy/app-passwords/app-password-store.ts'
import { endUserAppPassword } from '../../proxy/app-passwords/manage-app-passwords.ts'
import { listCertificates, SshCertificate } from '../../ssh/certificates/certificate-store.ts'
import { listSshKeys, UserSshKey } from '../../ssh/issuing/ssh-key-store.ts'
import { listSessionsOfUser, SshSession } from '../../ssh/reports/session-list-store.ts'
import type { Permission } from '../../vocabulary/permissions.ts'
import type { IdentityServices } from '../access-events.ts'
import { listPasskeys, Passkey } from '../passkeys/passkey-store.ts'
import { readHoldings } from '../roles/holdings.ts'
import { type SignedInActor, actorOf } from '../sessions/actor.ts'
import { alsoLesser, needs } from '../sessions/guards.ts'
import { listSessions } from '../sessions/session-store.ts'
import { Session } from '../sessions/session.ts'
import { userErrors } from '../users/user-errors.ts'
import { findUser } from '../users/user-store.ts'
import { User } from '../users/user.ts'
import { endUserSession, removeUserPasskey, removeUserTotp, signOutUser } from './end-access.ts'
import { LifecycleAction } from './lifecycle-action.ts'
import { listPendingActions } from './lifecycle-store.ts'
import { sendSetUpLink } from './send-set-up-link.ts'

/** All that gives a person access. A part that the caller may not see is null. */
const Access = Type.Object(
  {
    sessions: Nullable(Type.Array(Session)),
    passkeys: Type.Array(Passkey),
    sshKeys: Nullable(Type.Array(UserSshKey)),
    certificates: Nullable(Type.Array(SshCertificate, { description: 'Those that are still valid, newest first.' })),
    sshSessions: Nullable(
      Type.Array(SshSession, { description: 'Sessions on hosts, as those report them, newest first; at most 500.' }),
    ),
    apps: Type.Array(OAuthGrant),
    appPasswords: Type.Array(AppPassword),
    roles: User.properties.roles,
    pendingActions: Nullable(Type.Array(LifecycleAction)),
  },
  { title: 'Access' },
)
type Access = Type.Static<typeof Access>

const tags = ['Users']
const Id = Type.String({ minLength: 1, maxLength: 64 })
const ByUser = Type.Object({ userId: Id })

/** What gives a person access, and how administrators end it without disabling the account. */
export const accessRoutes =
  (services: IdentityServices): Routes =>
  async (app) => {
    app.get(
      '/api/admin/users/:userId/access',
      {
        onRequest: needs(services, 'users:read'),
        schema: {
          tags,
          summary: 'What gives a user access',
          description:
            'Each part as the user sees it. sshKeys, certificates and sshSessions are null without ssh:cert:list, sessions and pendingActions without users:lifecycle. Certificates and actions: at most 200.',
          params: ByUser,
          response: { 200: Access, ...failures(401, 403, 404) },
        },
      },
      (request) => readAccess(services, request.params.userId, actorOf(services, request)),
    )

    app.post(
      '/api/admin/users/:userId/sign-out',
      {
        onRequest: alsoLesser('anything', needs(services, 'users:lifecycle')),
        schema: {
          tags,
          summary: 'End all sessions and tokens of a user',
          description: 'The user is notified, and may sign in again. Grants, passkeys and certificates stay.',
          params: ByUser,
          response: { 200: Success, ...failures(401, 403, 404) },
        },
      },
      async (request) => {
        await signOutUser(services, request.params.userId, actorOf(services, request))
        return success
      },
    )

    app.delete(
      '/api/admin/users/:userId/sessions/:sessionId',
      {
        onRequest: alsoLesser('anything', needs(services, 'users:lifecycle')),
        schema: {
          tags,
          summary: 'End one session of a user',
          description: 'The user is notified.',
          params: Type.Object({ userId: Id, sessionId: Id }),
          response: { 200: Success, ...failures(401, 403, 404) },
        },
      },
      async (request) => {
        await endUserSession(services, request.params, actorOf(services, request))
        return success
      },
    )

    app.delete(
      '/api/admin/users/:userId/passkeys/:passkeyId',
      {
        onRequest: needs(services, 'users:lifecycle', 'fresh'),
        schema: {
          tags,
          summary: 'Remove a passkey of a user',
          description: 'Also the only one of an account without a password. The user is notified.',
          params: Type.Object({ userId: Id, passkeyId: Id }),
          response: { 200: Success, ...failures(401, 403, 404) },
        },
      },
      async (request) => {
        await removeUserPasskey(services, request.params, actorOf(services, request))
        return success
      },
    )

    app.delete(
      '/api/admin/users/:userId/totp',
      {
        onRequest: needs(services, 'users:lifecycle', 'fresh'),
        schema: {
          tags,
          summary: 'Remove the authenticator app of a user',
          description: 'With the recovery codes, for somebody who has lost them. The user is notified.',
          params: ByUser,
          response: { 200: Success, ...failures(401, 403, 404, 409) },
        },
      },
      async (request) => {
        await removeUserTotp(services, request.params.userId, actorOf(services, request))
        return success
      },
    )

    app.post(
      '/api/admin/users/:userId/setup-link',
      {
        onRequest: needs(services, 'users:lifecycle', 'fresh'),
        schema: {
          tags,
          summary: 'Mail a user a link to set up what a role demands',
          description:
            'For somebody who has no passkey or second step, and whose seven days are over. It is valid for 24 hours, works once, and needs a sign-in too.',
          params: ByUser,
          response: { 200: Success, ...failures(401, 403, 404, 409) },
        },
      },
      async (request) => {
        await sendSetUpLink(services, request.params.userId, actorOf(services, request))
        return success
      },
    )

    app.delete(
      '/api/admin/users/:userId/app-passwords/:appPasswordId',
      {
        onRequest: alsoLesser('anything', needs(services, 'users:lifecycle')),
        schema: {
          tags,
          summary: 'End an app password of a user',
          description: 'The user is notified.',
          params: Type.Object({ userId: Id, appPasswordId: Id }),
          response: { 200: Success, ...failures(401, 403, 404) },
        },
      },
      async (request) => {
        await endUserAppPassword(services, request.params, actorOf(services, request))
        return success
      },
    )
  }

/** Of lists that can grow; the log of certificates and the list of actions have pages. */
const MAX_LISTED = 200

/** What gives this person access, as the person sees it. */
async function readAccess(
  { db, now }: Pick<Services, 'db' | 'now'>,
  userId: string,
  actor: SignedInActor,
): Promise<Access> {
  const user = (await findUser(db.read, userId)) ?? refuse(userErrors.no_such_user())
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
    sshSessions: await readIf('ssh:cert:list', () => listSessionsOfUser(db.read, userId, now())),
    apps: await listGrants(db.read, userId),
    appPasswords: await listAppPasswords(db.read, userId),
    roles: user.roles,
    pendingActions: await readIf('users:lifecycle', () =>
      listPendingActions(db.read, { userId, viewerId: actor.id, limit: MAX_LISTED }),
    ),
  }
}
