import { type RawBuilder, sql } from 'kysely'
import { isDue, MAX_CLOCK_SKEW_MS } from '../../storage/columns.ts'
import type { Database, Reader, Trx } from '../../storage/database.ts'
import { readStatement, type Values } from '../../storage/statement.ts'
import { RECEIVER_KINDS, type ReceiverKind } from '../../vocabulary/receivers.ts'

/** A retry is never planned for later than this. */
export const MAX_AHEAD_MS = 3_600_000 + MAX_CLOCK_SKEW_MS

interface Receiver {
  kind: ReceiverKind
  receiverId: string
}

export interface DueReceiver extends Receiver {
  isFailing: boolean
}

/** The key of a receiver. */
export const receiverKey = ({ kind, receiverId }: Receiver): string => `${kind} ${receiverId}`

/** What waits, and is not replaced. An index has it. */
const isOpen = sql<boolean>`outbox_deliveries.state = 'waiting' and outbox_deliveries.replaced_by is null`

/** A delivery of a webhook is sent when it has its number. */
export const isSendable = sql<boolean>`${isOpen}
  and (outbox_deliveries.kind <> 'webhook' or outbox_deliveries.sequence is not null)`

interface WaitingReceiver {
  kind: ReceiverKind
  receiverId: string
  earliest: number
  latest: number
  failingSince: number | null
  pausedUntil: number | null
}

/**
 * Whom something is due for, who has waited longest first. It reads two entries of an index for each receiver that something waits for,
 * and not all that waits. What is planned for later than any retry was planned under a wrong clock, and is brought back.
 */
export async function listDueReceivers(db: Database, now: number): Promise<DueReceiver[]> {
  const { rows } = await sql<WaitingReceiver>`
    with recursive receivers (kind, receiver_id) as (
      select kinds.column1, (
        select min(receiver_id) from outbox_deliveries where ${isOpen} and kind = kinds.column1)
      from (values ${sql.join(RECEIVER_KINDS.map((kind) => sql`(${sql.lit(kind)})`))}) as kinds
      union all
      select receivers.kind, (
        select min(receiver_id) from outbox_deliveries
        where ${isOpen} and kind = receivers.kind and receiver_id > receivers.receiver_id)
      from receivers where receivers.receiver_id is not null)
    select * from (
      select receivers.kind, receivers.receiver_id as "receiverId", ${timeOf('min')} as earliest, ${timeOf('max')} as latest,
        outbox_receivers.failing_since as "failingSince", outbox_receivers.paused_until as "pausedUntil"
      from receivers left join outbox_receivers
        on outbox_receivers.kind = receivers.kind and outbox_receivers.receiver_id = receivers.receiver_id
      where receivers.receiver_id is not null) as waiting
    where earliest is not null order by earliest`.execute(db.read)
  const due: DueReceiver[] = []
  for (const { kind, receiverId, earliest, latest, failingSince, pausedUntil } of rows) {
    const isAhead = latest > now + MAX_AHEAD_MS
    if (isAhead) await db.transaction((trx) => bringBack(trx, { kind, receiverId }, now))
    if ((isAhead || earliest <= now) && (pausedUntil === null || isDue(pausedUntil, now, MAX_AHEAD_MS)))
      due.push({ kind, receiverId, isFailing: failingSince !== null })
  }
  return due
}

const timeOf = (which: 'min' | 'max'): RawBuilder<number | null> =>
  sql`(select ${sql.raw(which)}(next_attempt_at) from outbox_deliveries where ${isOpen}
    and outbox_deliveries.kind = receivers.kind and outbox_deliveries.receiver_id = receivers.receiver_id
    and next_attempt_at is not null)`

async function bringBack(trx: Trx, { kind, receiverId }: Receiver, now: number): Promise<void> {
  await trx
    .updateTable('outbox_deliveries')
    .set({ next_attempt_at: now, scheduled_at: now })
    .where(isOpen)
    .where('kind', '=', kind)
    .where('receiver_id', '=', receiverId)
    .where('next_attempt_at', '>', now + MAX_AHEAD_MS)
    .execute()
}

/** What may be sent to one receiver now: of each person only what was written first. */
export async function listDue(db: Reader, due: Receiver & { now: number; limit: number }): Promise<number[]> {
  const earliest = await listEarliest(db, due)
  const first = earliest.filter(({ isFirst }) => Boolean(isFirst)).slice(0, due.limit)
  const isComplete = first.length === due.limit || earliest.length < MAX_EARLIEST
  return (isComplete ? first : await listFirst(db, due)).map(({ number }) => number)
}

/** So many are looked at in the order of their times, before the queue of every person is. */
const MAX_EARLIEST = 100

const isDueNow = (now: number) => sql<boolean>`${isSendable} and next_attempt_at <= ${now}`

/** The number of what was written first of those that wait for a receiver about a person. */
const firstOf = (kind: RawBuilder<unknown>, receiverId: RawBuilder<unknown>, personId: RawBuilder<unknown>) =>
  sql<number | null>`(select min(number) from outbox_deliveries as queue
    where queue.state = 'waiting' and queue.replaced_by is null
      and queue.kind = ${kind} and queue.receiver_id = ${receiverId} and queue.person_id = ${personId})`

const listEarliest = readStatement((db, value: Values<Receiver & { now: number }>) =>
  db
    .selectFrom('outbox_deliveries')
    .select('number')
    .select(
      sql<
        number | boolean
      >`number = ${firstOf(sql.ref('outbox_deliveries.kind'), sql.ref('outbox_deliveries.receiver_id'), sql.ref('outbox_deliveries.person_id'))}`.as(
        'isFirst',
      ),
    )
    .where(isDueNow(value('now')))
    .where('kind', '=', value('kind'))
    .where('receiver_id', '=', value('receiverId'))
    .orderBy('next_attempt_at')
    .orderBy('number')
    .limit(sql.lit(MAX_EARLIEST)),
)

/** The same where many wait behind few people: it reads two entries of an index for each person, and not all that waits. */
async function listFirst(
  db: Reader,
  { kind, receiverId, now, limit }: Receiver & { now: number; limit: number },
): Promise<{ number: number }[]> {
  const isForReceiver = sql`${isOpen} and kind = ${kind} and receiver_id = ${receiverId}`
  const { rows } = await sql<{ number: number }>`
    with recursive people (person_id) as (
      select min(person_id) from outbox_deliveries where ${isForReceiver}
      union all
      select (select min(person_id) from outbox_deliveries where ${isForReceiver} and person_id > people.person_id)
      from people where people.person_id is not null)
    select outbox_deliveries.number from people join outbox_deliveries
      on outbox_deliveries.number = ${firstOf(sql`${kind}`, sql`${receiverId}`, sql.ref('people.person_id'))}
    where ${isDueNow(now)} order by next_attempt_at, number limit ${limit}`.execute(db)
  return rows
}
