import { totpPurpose } from '../../platform/keys/totp-secret-store.ts'
import type { Services } from '../../platform/services.ts'
import type { Trx } from '../../storage/database.ts'
import { recoveryDigest } from './recovery-codes.ts'
import {
  consumeRecoveryCode,
  consumeStep,
  countRecoveryCodes,
  deleteStepsBefore,
  findTotp,
  type Totp,
} from './second-step-store.ts'
import { stepAt, stepsOf } from './totp.ts'

/** What somebody gives as the second step. */
export type SecondStep = { code: string } | { recoveryCode: string }

export interface UsedSecondStep {
  /** RFC 8176. A recovery code is kept like a password, so it proves no more than one. */
  amr: string[]
  /** How many recovery codes are left, if it was one. */
  left: number | undefined
}

/** Uses up a code of the app, or a recovery code. Undefined when it is wrong or was used. Call it with the account locked. */
export async function useSecondStep(
  services: Pick<Services, 'now' | 'vault'>,
  trx: Trx,
  userId: string,
  given: SecondStep,
): Promise<UsedSecondStep | undefined> {
  if ('recoveryCode' in given) {
    if (!(await consumeRecoveryCode(trx, userId, recoveryDigest(userId, given.recoveryCode)))) return undefined
    return { amr: ['pwd'], left: await countRecoveryCodes(trx, userId) }
  }
  const totp = await findTotp(trx, userId)
  if (!totp || totp.since === null) return undefined
  const isRight = await useCode(services, trx, { userId, totp, code: given.code })
  return isRight ? { amr: ['pwd', 'otp'], left: undefined } : undefined
}

/** A code is used up wherever it is taken, with the time step that it is of (RFC 6238 section 5.2). */
export async function useCode(
  { now, vault }: Pick<Services, 'now' | 'vault'>,
  trx: Trx,
  { userId, totp, code }: { userId: string; totp: Totp; code: string },
): Promise<boolean> {
  const secret = vault.open(totpPurpose(userId), totp.sealed)
  for (const step of stepsOf(secret, code, now())) {
    if (!(await consumeStep(trx, userId, step))) continue
    await deleteStepsBefore(trx, userId, stepAt(now()) - 2)
    return true
  }
  return false
}
