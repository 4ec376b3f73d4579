import { refuse } from '../../errors.ts'
import { MAX_CERTIFICATE_SECONDS } from '../../platform/config/variables.ts'
import type { Services } from '../../platform/services.ts'
import type { Trx } from '../../storage/database.ts'
import { addRevokedRange, raiseKrlVersionsTo } from '../revocation/revocation-store.ts'
import { lockLastSerial, markLastSerial } from './serial-store.ts'

export interface SkippedSerials {
  first: bigint
  last: bigint
}

/**
 * For a restored backup. Certificates that were issued after the backup was made are not in it, and none of their serials
 * may be issued again. So the serial counter jumps to the microseconds since 1970: no counter reaches that by counting, and
 * it is higher at every later restore, however often the same backup is restored. The skipped serials are revoked as one
 * range until the last certificate that may be among them has expired. The version of the revocation list jumps as well,
 * so that no version is used twice.
 */
export async function skipSerials({ now }: Pick<Services, 'now'>, trx: Trx): Promise<SkippedSerials> {
  const last = BigInt(now()) * 1000n
  const first = (await lockLastSerial(trx)) + 1n
  if (first > last) {
    refuse(
      'conflict',
      'The clock of this machine is behind that of the one that issued certificates. Set it right first.',
    )
  }
  await markLastSerial(trx, last)
  const validBefore = now() + MAX_CERTIFICATE_SECONDS * 1000
  await addRevokedRange(trx, { first, last, revokedAt: now(), validBefore })
  await raiseKrlVersionsTo(trx, last)
  return { first, last }
}
