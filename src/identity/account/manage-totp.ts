import { atField, refuse } from '../../errors.ts'
import { recordEvent } from '../../platform/audit/record-event.ts'
import { totpPurpose } from '../../platform/keys/totp-secret-store.ts'
import type { Services } from '../../platform/services.ts'
import type { Trx } from '../../storage/database.ts'
import { type IdentityServices, publish } from '../access-events.ts'
import { removeSecondStep } from '../second-step/access-subscriber.ts'
import { newRecoveryCodes, recoveryDigest } from '../second-step/recovery-codes.ts'
import { secondStepErrors } from '../second-step/second-step-errors.ts'
import { findTotp, replaceRecoveryCodes, storeTotp } from '../second-step/second-step-store.ts'
import { base32, SECRET_BYTES, totpUri } from '../second-step/totp.ts'
import { useCode } from '../second-step/use-second-step.ts'
import type { SignedInActor } from '../sessions/actor.ts'
import { changeOwnAccount } from '../sessions/lock-actor.ts'
import { refuseLosingLastMeans } from '../sessions/lock-out.ts'
import { raiseBySettingUp } from '../sessions/raise-session.ts'
import { tellOwner, type TellServices } from '../sign-in/tell-owner.ts'
import { readSettings } from '../users/settings-store.ts'

type TotpServices = TellServices & Pick<IdentityServices, 'db' | 'accessSubscribers'>

/** Makes a secret for an authenticator app. It counts once a first code of it was right; until then a later one replaces it. */
export async function beginTotp(
  services: Pick<Services, 'config' | 'db' | 'now' | 'random' | 'vault'>,
  actor: SignedInActor,
): Promise<{ secret: string; uri: string }> {
  const { config, random, vault } = services
  const bytes = random.bytes(SECRET_BYTES)
  const service = await changeOwnAccount(services, actor, async (trx) => {
    if ((await findTotp(trx, actor.id))?.since) refuse(secondStepErrors.totp_on())
    await storeTotp(trx, actor.id, { sealed: vault.seal(totpPurpose(actor.id), bytes), since: null })
    return (await readSettings(trx, config)).name
  })
  const secret = base32(bytes)
  return { secret, uri: totpUri(secret, { service, account: actor.email }) }
}

/** Turns the second step on. The recovery codes are shown this once. */
export const confirmTotp = (
  services: TotpServices,
  { code }: { code: string },
  actor: SignedInActor,
): Promise<{ recoveryCodes: string[] }> =>
  changeOwnAccount(services, actor, async (trx) => {
    const totp = (await findTotp(trx, actor.id)) ?? refuse(secondStepErrors.totp_off())
    if (totp.since !== null) refuse(secondStepErrors.totp_on())
    if (!(await useCode(services, trx, { userId: actor.id, totp, code })))
      throw atField('code', secondStepErrors.code_wrong())
    const since = services.now()
    await storeTotp(trx, actor.id, { ...totp, since })
    await raiseBySettingUp(services, trx, { method: 'password', amr: ['pwd', 'otp'] }, actor)
    const recoveryCodes = await giveRecoveryCodes(services, trx, actor.id)
    const credential = { kind: 'totp' } as const
    await publish(services, trx, 'credential_changed', { userId: actor.id, change: 'created', by: 'owner', credential })
    await tellOwner(services, trx, actor.id, { type: 'security.totp_added', data: { since }, actor })
    await record(services, trx, 'totp.added', actor)
    return { recoveryCodes }
  })

/** New ones in place of those that are left. */
export const renewRecoveryCodes = (
  services: TotpServices,
  actor: SignedInActor,
): Promise<{ recoveryCodes: string[] }> =>
  changeOwnAccount(services, actor, async (trx) => {
    if (!(await findTotp(trx, actor.id))?.since) refuse(secondStepErrors.totp_off())
    const recoveryCodes = await giveRecoveryCodes(services, trx, actor.id)
    await record(services, trx, 'recovery_codes.renewed', actor)
    return { recoveryCodes }
  })

/** Turns it off. */
export const removeTotp = (services: TotpServices, actor: SignedInActor): Promise<void> =>
  changeOwnAccount(services, actor, async (trx) => {
    if (!(await findTotp(trx, actor.id))?.since) refuse(secondStepErrors.totp_off())
    await removeSecondStep(services, trx, { userId: actor.id, by: 'owner' })
    await refuseLosingLastMeans(trx, actor.id)
    await tellOwner(services, trx, actor.id, { type: 'security.totp_removed', data: {}, actor })
    await record(services, trx, 'totp.removed', actor)
  })

async function giveRecoveryCodes(services: Pick<Services, 'random'>, trx: Trx, userId: string): Promise<string[]> {
  const codes = newRecoveryCodes(services)
  const digests = codes.map((code) => recoveryDigest(userId, code))
  await replaceRecoveryCodes(trx, userId, digests)
  return codes
}

const record = (
  services: Pick<Services, 'now'>,
  trx: Trx,
  action: 'totp.added' | 'totp.removed' | 'recovery_codes.renewed',
  actor: SignedInActor,
): Promise<void> =>
  recordEvent(services, trx, { action, outcome: 'success', actor, target: { type: 'user', id: actor.id } })
