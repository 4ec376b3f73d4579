import { Type } from 'typebox'
import { readDurations } from '../../identity/receipts/proof-store.ts'
import { Nullable, Time } from '../../platform/http/contracts.ts'
import { listFailingReceivers } from '../../platform/outbox/failing-receivers.ts'
import { nameReceivers } from '../../platform/outbox/told-receivers.ts'
import type { Reader } from '../../storage/database.ts'
import { TOLD_AS } from '../../vocabulary/receivers.ts'

const Seconds = Type.Number({ minimum: 0, description: 'Seconds.' })

export const TimeToNothingLeft = Nullable(
  Type.Object(
    { p50: Seconds, p99: Seconds },
    {
      description:
        'From the disable of an account until the last receiver had acknowledged it, in the last 30 days: half of them, and 99 of 100, took no longer. Without those where a receiver refused or was given up. Null when there were none.',
    },
  ),
)

const MAX_ERROR = 200

export const Failing = Type.Array(
  Type.Object({
    kind: Type.Enum(Object.values(TOLD_AS)),
    id: Type.String(),
    name: Type.String(),
    since: Time,
    lastStatus: Nullable(Type.Integer({ description: 'Of its last answer; null when there was none.' })),
    error: Nullable(Type.String({ description: `At most ${MAX_ERROR} printable characters.` })),
  }),
  {
    description:
      'Webhooks, and applications that are told, which have failed for an hour or longer; at most 100, the longest first.',
  },
)

interface Telling {
  timeToNothingLeft: Type.Static<typeof TimeToNothingLeft>
  failing: Type.Static<typeof Failing>
}

const HOUR_MS = 3_600_000
const DAYS_MS = 30 * 24 * HOUR_MS
const MAX_FAILING = 100

export async function readTelling(db: Reader, now: number): Promise<Telling> {
  const durations = await readDurations(db, now - DAYS_MS, [50, 99])
  const failing = await listFailingReceivers(db, { before: now - HOUR_MS, limit: MAX_FAILING })
  const name = await nameReceivers(db, failing)
  return {
    timeToNothingLeft: durations && { p50: durations[50] / 1000, p99: durations[99] / 1000 },
    failing: failing.flatMap((receiver) => {
      const known = name(receiver)
      if (known === undefined) return []
      const { kind, receiverId: id, since, lastStatus, lastError } = receiver
      return [{ kind: TOLD_AS[kind], id, name: known, since, lastStatus, error: lastError && printable(lastError) }]
    }),
  }
}

/** What a receiver has answered may be anything. */
const printable = (text: string): string =>
  Array.from(text.replaceAll(/[^\P{C} ]+|[\p{Zl}\p{Zp}]+/gu, ' '))
    .slice(0, MAX_ERROR)
    .join('')
