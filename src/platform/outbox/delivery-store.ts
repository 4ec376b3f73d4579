import { sql } from 'kysely'
import type { Trx } from '../../storage/database.ts'
import type { ReceiverKind } from '../../vocabulary/receivers.ts'
import { newId } from '../ids.ts'

const DAY_MS = 24 * 3_600_000
/** How long each kind is tried. */
const TRIED_FOR_MS: Record<ReceiverKind, number> = { webhook: DAY_MS, logout: 7 * DAY_MS, signals: 7 * DAY_MS }

/** When what is added or sent again now is given up. */
export const triedUntil = (kind: ReceiverKind, now: number): number => now + TRIED_FOR_MS[kind]

export interface NewDelivery {
  /** Made before, where somebody asks for it afterwards. */
  id?: string
  kind: ReceiverKind
  /** The id of a webhook, or a client_id. */
  receiverId: string
  /** Whom it is about; null for nobody. */
  personId: string | null
  type: string
  /** Facts and references; signed at each attempt. */
  fact: object
  /** The disable whose receipt lists it. */
  actionId?: string | undefined
  /** Not sent by itself: the receiver fetches it, or its stream is paused. */
  isHeld?: boolean
}

/** A statement takes a limited number of values. */
const MAX_ROWS = 50

/**
 * Adds what is to be told, in the transaction in which it happened. Lock the people whom it is about first: that keeps the order of
 * what is told about one person.
 */
export async function addDeliveries(trx: Trx, deliveries: NewDelivery[], now: number): Promise<void> {
  if (deliveries.length === 0) return
  const rows = deliveries.map(({ id, kind, receiverId, personId, type, fact, actionId, isHeld = false }) => ({
    id: id ?? newId(),
    kind,
    receiver_id: receiverId,
    person_id: personId ?? '',
    type,
    fact: JSON.stringify(fact),
    action_id: actionId ?? null,
    state: 'waiting' as const,
    next_attempt_at: isHeld ? null : now,
    scheduled_at: now,
    created_at: now,
    expires_at: triedUntil(kind, now),
  }))
  for (let at = 0; at < rows.length; at += MAX_ROWS)
    await trx
      .insertInto('outbox_deliveries')
      .values(rows.slice(at, at + MAX_ROWS))
      .execute()
  trx.signal('deliveries-added', null)
}

/** What still waits to be told about these people. SQLite would take the index of the kind, which has all that was ever sent. */
export async function listWaiting(
  trx: Trx,
  kind: ReceiverKind,
  personIds: string[],
): Promise<{ receiverId: string; personId: string; fact: string }[]> {
  return trx
    .selectFrom('outbox_deliveries')
    .select(['receiver_id as receiverId', 'person_id as personId', 'fact'])
    .where(sql<boolean>`state = 'waiting' and replaced_by is null and kind || '' = ${kind}`)
    .where('person_id', 'in', personIds)
    .orderBy('number')
    .execute()
}

/**
 * Leaves out what is said again by a later delivery of the same receiver about the same person: by one with the same facts, or by one
 * without any, which says that all has ended. What is being sent is not left out. Call it after the later ones were added.
 */
export async function replaceWaiting(
  trx: Trx,
  kind: ReceiverKind,
  added: readonly Pick<NewDelivery, 'receiverId' | 'personId'>[],
): Promise<void> {
  if (added.length === 0) return
  const newest = sql<number | null>`(
    select max(later.number) from outbox_deliveries later
    where later.state = 'waiting' and later.kind = outbox_deliveries.kind
      and later.receiver_id = outbox_deliveries.receiver_id and later.person_id = outbox_deliveries.person_id
      and later.number > outbox_deliveries.number and later.fact in (outbox_deliveries.fact, '{}'))`
  await trx
    .updateTable('outbox_deliveries')
    .set({ replaced_by: newest })
    .where(sql<boolean>`state = 'waiting' and claim is null`)
    .where('kind', '=', kind)
    .where('receiver_id', 'in', [...new Set(added.map(({ receiverId }) => receiverId))])
    .where('person_id', 'in', [...new Set(added.map(({ personId }) => personId ?? ''))])
    .where(sql<boolean>`${newest} is not null`)
    .execute()
}
