import ipaddr from 'ipaddr.js'
import { sql } from 'kysely'
import { digest } from '../../platform/crypto/digest.ts'
import type { RequestSource } from '../../platform/http/request-source.ts'
import type { Trx } from '../../storage/database.ts'
import { readStatement, writeStatement, type Values } from '../../storage/statement.ts'

const anySeen = readStatement((db, value: Values<{ userId: string }>) =>
  // A literal: SQLite prepares a statement again for each value of a limit.
  db.selectFrom('known_devices').select('user_id').where('user_id', '=', value('userId')).limit(sql.lit(1)),
)

const addTraits = writeStatement(
  (db, value: Values<{ userId: string; browser: string; network: string; now: number }>) =>
    db
      .insertInto('known_devices')
      .values(
        (['browser', 'network'] as const).map((trait) => ({
          user_id: value('userId'),
          device_hash: value(trait),
          first_seen_at: value('now'),
        })),
      )
      .onConflict((conflict) => conflict.doNothing())
      .returning('device_hash'),
)

/** Somebody who travels, or a program that varies what it calls itself, adds new ones without end. */
const MAX_TRAITS = 100

const deleteSurplus = writeStatement((db, value: Values<{ userId: string }>) =>
  db
    .deleteFrom('known_devices')
    .where('user_id', '=', value('userId'))
    .where('device_hash', 'not in', (eb) =>
      eb
        .selectFrom('known_devices')
        .select('device_hash')
        .where('user_id', '=', value('userId'))
        .orderBy('first_seen_at', 'desc')
        .orderBy('device_hash')
        .limit(sql.lit(MAX_TRAITS)),
    ),
)

/**
 * Stores the browser and the network of a sign-in. True when either is new for an account that has signed in before: the
 * very first sign-in needs no notification. Both can be forged, so they decide only whether to notify; a known
 * browser is recognized by its cookie.
 */
export async function markSeen(trx: Trx, userId: string, source: RequestSource, now: number): Promise<boolean> {
  const [seenBefore, added] = await Promise.all([
    anySeen(trx, { userId }),
    addTraits(trx, {
      userId,
      now,
      browser: digest(`browser:${browserOf(source.userAgent)}`),
      network: digest(`network:${networkOf(source.ipAddress)}`),
    }),
  ])
  if (added.length > 0) deleteSurplus.next(trx, { userId })
  return seenBefore.length > 0 && added.length > 0
}

/** Without version numbers, which change every few weeks. */
const browserOf = (userAgent: string | null): string => (userAgent ?? '').replace(/[\d._]+/g, '')

/** The network of an address: providers change single addresses often. */
export function networkOf(address: string): string {
  if (!ipaddr.isValid(address)) return address
  const parsed = ipaddr.process(address)
  const [bits, bytes] = parsed.kind() === 'ipv4' ? [24, 3] : [48, 6]
  return `${parsed.toByteArray().slice(0, bytes).join('.')}/${bits}`
}
