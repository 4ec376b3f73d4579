import { Type } from 'typebox'
import { refuse } from '../../errors.ts'
import { listGrants } from '../../oauth/consents/grant-store.ts'
import { OAuthGrant } from '../../oauth/consents/grant.ts'
import { Nullable, strict } from '../../platform/http/contracts.ts'
import type { Services } from '../../platform/services.ts'
import { listSshKeys, UserSshKey } from '../../ssh/issuing/ssh-key-store.ts'
import { listPasskeys } from '../passkeys/passkey-store.ts'
import { Passkey } from '../passkeys/passkey.ts'
import { findEmailTokenOwner } from '../sign-in/email-token-store.ts'
import { findAccountById } from '../users/user-store.ts'

/** What a reset link does besides setting a password. */
export const ResetAccess = Type.Object(
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
export type ResetAccess = Type.Static<typeof ResetAccess>

const Ids = Type.Array(Type.String({ minLength: 1, maxLength: 64 }), { maxItems: 1000 })

/** What the owner of a restored address keeps, by its id: of applications the client_id. */
export const KeptAccess = Type.Object({ passkeys: Ids, sshKeys: Ids, apps: Ids }, strict)
export type KeptAccess = Type.Static<typeof KeptAccess>

/**
 * For the page that sets a new password. The link is enough, because its holder can set a password and see all of it. Only an
 * account whose address was taken back shows it: other people reset a password without wondering who had added what.
 */
export async function readResetAccess({ db, now }: Pick<Services, 'db' | 'now'>, token: string): Promise<ResetAccess> {
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

export const refuseInvalidLink = (): never =>
  refuse('invalid_token', 'This link is no longer valid. Ask for a new one.')
