import { Type } from 'typebox'
import { listGrants } from '../../oauth/authorizations/grant-store.ts'
import { OAuthGrant } from '../../oauth/authorizations/grant-store.ts'
import { failures, Nullable, type Routes, strict, Success, success } from '../../platform/http/contracts.ts'
import type { Services } from '../../platform/services.ts'
import { listSshKeys, UserSshKey } from '../../ssh/issuing/ssh-key-store.ts'
import type { IdentityServices } from '../access-events.ts'
import { listPasskeys, Passkey } from '../passkeys/passkey-store.ts'
import { actorOf } from '../sessions/actor.ts'
import { signedIn } from '../sessions/guards.ts'
import { clearSessionCookie } from '../sessions/session-cookie.ts'
import { Email } from '../users/email-address.ts'
import { GivenPassword, NewPassword } from '../users/password-rules.ts'
import { findAccountById } from '../users/user-store.ts'
import { changePassword } from './change-password.ts'
import { findEmailTokenOwner } from './email-tokens.ts'
import { confirmPasswordReset, refuseInvalidLink, requestPasswordReset } from './reset-password.ts'
import { setKnownBrowserCookie, signInSourceOf } from './sign-in-source.ts'

/** What a reset link does besides setting a password. */
const ResetAccess = Type.Object(
  {
    removesAll: Type.Boolean({
      description:
        'The account registered itself and its address was never confirmed: setting a password removes all its passkeys, SSH keys with their certificates, app passwords and grants, and ends its sessions.',
    }),
    left: Nullable(
      Type.Object(
        { passkeys: Type.Array(Passkey), sshKeys: Type.Array(UserSshKey), apps: Type.Array(OAuthGrant) },
        {
          description:
            'After the address was taken back, until its owner has decided: what gives access and was not removed. Otherwise null.',
        },
      ),
    ),
  },
  { title: 'ResetAccess' },
)
type ResetAccess = Type.Static<typeof ResetAccess>

const Ids = Type.Array(Type.String({ minLength: 1, maxLength: 64 }), { maxItems: 1000 })

/** What the owner of a restored address keeps, by its id: of applications the client_id. */
const KeptAccess = Type.Object({ passkeys: Ids, sshKeys: Ids, apps: Ids }, strict)

const Token = Type.String({ minLength: 1, maxLength: 200 })

/** Changing a password, and replacing a forgotten one. */
export const passwordRoutes =
  (services: IdentityServices): Routes =>
  async (app) => {
    const { locate } = services
    app.post(
      '/api/auth/password-reset',
      {
        schema: {
          tags: ['Sign-in and sessions'],
          summary: 'Request a mail to set a new password',
          description:
            'The answer is the same whether there is such an account or not, also when it was requested too often (5 for an email and address, 30 for an address an hour) and no mail is sent. A browser that has signed in to the account always gets one. A newer link ends older ones when it is used.',
          body: Type.Object({ email: Email }, strict),
          response: { 200: Success, ...failures(400, 403, 415) },
        },
      },
      async (request) => {
        await requestPasswordReset(services, request.body, signInSourceOf(locate, request))
        return success
      },
    )

    app.post(
      '/api/auth/password-reset/access',
      {
        schema: {
          tags: ['Sign-in and sessions'],
          summary: 'What a reset link removes, and what is left after an address was taken back',
          description:
            'With the token of a link that was not used yet; it stays valid. Whoever had the account may have added something long before the address was changed, so its owner looks through the rest when setting a password.',
          body: Type.Object({ token: Token }, strict),
          response: { 200: ResetAccess, ...failures(400, 403, 415) },
        },
      },
      (request) => readResetAccess(services, request.body.token),
    )

    app.post(
      '/api/auth/password-reset/confirm',
      {
        schema: {
          tags: ['Sign-in and sessions'],
          summary: 'Set a password with the link of a reset or invitation mail',
          description:
            'Confirms the address, ends every session, token and app password, and makes this browser the only known one of the account. If the address of an account that registered itself was never confirmed before, its passkeys, SSH keys with their certificates and grants are removed too. After an address was taken back, keep names what stays of what /api/auth/password-reset/access lists: everything else is removed, also what was added since. Without keep everything stays for now, and the next link asks again.',
          body: Type.Object({ token: Token, newPassword: NewPassword, keep: Type.Optional(KeptAccess) }, strict),
          response: { 200: Success, ...failures(400, 403, 415, 429) },
        },
      },
      async (request, reply) => {
        const { browserTokens } = await confirmPasswordReset(services, request.body, signInSourceOf(locate, request))
        clearSessionCookie(services.config, reply)
        setKnownBrowserCookie(services.config, reply, browserTokens)
        return success
      },
    )

    app.post(
      '/api/account/password',
      {
        onRequest: signedIn(services, 'sometimes_fresh'),
        schema: {
          tags: ['Account'],
          summary: 'Change your password, or set the first one',
          description:
            'Ends all your other sessions and the tokens of applications. Grants stay. Somebody without a password leaves out `currentPassword`, and needs a fresh sign-in whatever the setting `freshSignIn`.',
          body: Type.Object({ currentPassword: Type.Optional(GivenPassword), newPassword: NewPassword }, strict),
          response: { 200: Success, ...failures(400, 401, 403, 415, 429) },
        },
      },
      async (request) => {
        const change = { ...request.body, source: signInSourceOf(locate, request) }
        await changePassword(services, change, actorOf(services, request))
        return success
      },
    )
  }

/**
 * For the page that sets a new password. The link is enough, because its holder can set a password and see all of it. Only an
 * account whose address was taken back shows it: other people reset a password without wondering who had added what.
 */
async function readResetAccess({ db, now }: Pick<Services, 'db' | 'now'>, token: string): Promise<ResetAccess> {
  const owner = (await findEmailTokenOwner(db.read, token, ['reset', 'invitation'], now())) ?? refuseInvalidLink()
  const account = (await findAccountById(db.read, owner.id)) ?? refuseInvalidLink()
  if (!account.reviewsAccess) return { removesAll: account.neverConfirmed, left: null }
  return {
    removesAll: false,
    left: {
      passkeys: await listPasskeys(db.read, owner.id),
      sshKeys: await listSshKeys(db.read, owner.id, now()),
      apps: await listGrants(db.read, owner.id),
    },
  }
}
