import { sql } from 'kysely'
import { MAX_CERTIFICATE_SECONDS } from '../../config/variables.ts'
import { refuse } from '../../errors.ts'
import type { Services } from '../../services.ts'
import type { Trx } from '../../storage/database.ts'

export interface SkippedSerials {
  first: bigint
  last: bigint
}

/**
 * For a copy of older data that takes over: certificates that were issued after it was made are unknown to it, and none
 * of their serials may come again. The counter jumps to the microseconds since 1970, which no counter reaches by counting
 * and which are more at every restore, however often one copy is restored. What it jumped over is revoked as one range,
 * until the last certificate that might be in it has expired. The version of the list jumps too, so that it never repeats.
 */
export async function skipSerials({ now }: Pick<Services, 'now'>, trx: Trx): Promise<SkippedSerials> {
  const last = BigInt(now()) * 1000n
  const counter = (name: string) => trx.updateTable('counters').where('name', '=', name)
  const held = await counter('ssh_serial')
    .set({ value: sql`value` })
    .returning(sql<string>`cast(value as text)`.as('value'))
    .executeTakeFirstOrThrow()
  const first = BigInt(held.value) + 1n
  if (first > last) {
    refuse(
      'conflict',
      'The clock of this machine is behind that of the one that issued certificates. Set it right first.',
    )
  }
  await counter('ssh_serial').set({ value: last }).execute()
  await trx
    .insertInto('ssh_revoked_ranges')
    .values({
      first_serial: first,
      last_serial: last,
      revoked_at: now(),
      valid_before: now() + MAX_CERTIFICATE_SECONDS * 1000,
    })
    .execute()
  await counter('krl_version')
    .set({ value: sql`case when value < ${last} then ${last} else value + 1 end` })
    .execute()
  return { first, last }
}
