import { listDeliveriesOfActions, nameReceivers, type ToldDelivery } from '../../platform/outbox/told-receivers.ts'
import type { Reader, Trx } from '../../storage/database.ts'
import { type DeliveryState, TOLD_AS, TOLD_KINDS } from '../../vocabulary/receivers.ts'
import type { IdentityServices, Told } from '../access-events.ts'
import { addReceipts, listReceipts, type OpenReceipt, readExecuted } from './receipt-store.ts'
import type { Receiver } from './receipt.ts'

type ReceiptServices = Pick<IdentityServices, 'accessSubscribers'>

/** By action. */
export type ToldByAction = ReadonlyMap<string, Told[]>

/**
 * Opens the receipts of disables, as the last step of the transaction that carries them out: by then it is written who is told. Returns who
 * that is.
 */
export async function openReceipts(services: ReceiptServices, trx: Trx, actionIds: string[]): Promise<ToldByAction> {
  if (actionIds.length === 0) return new Map()
  const executed = await readExecuted(trx, actionIds)
  const deliveries = await listDeliveriesOfActions(trx, actionIds)
  const receivers = await listReceivers(trx, deliveries)
  const receipts = executed.map((each) => Object.assign(each, { receivers: receivers.get(each.actionId) ?? [] }))
  await addReceipts(trx, receipts)
  return summarizeAll(services, trx, receipts, deliveries)
}

/** Who is told of an action whose receipt is not open yet. */
export async function listTold(services: ReceiptServices, trx: Trx, actionId: string): Promise<Told[]> {
  const deliveries = await listDeliveriesOfActions(trx, [actionId])
  const receivers = (await listReceivers(trx, deliveries)).get(actionId) ?? []
  return (await summarizeAll(services, trx, [{ actionId, receivers }], deliveries)).get(actionId) ?? []
}

/** How far it is with those of these actions whose receipts are open. */
export const readOpenTold = async (services: ReceiptServices, db: Reader, actionIds: string[]): Promise<ToldByAction> =>
  readTold(services, db, await listReceipts(db, actionIds))

/** How far it is with each receiver. */
export async function readTold(services: ReceiptServices, db: Reader, receipts: ReceiptOf[]): Promise<ToldByAction> {
  const actionIds = receipts.map(({ actionId }) => actionId)
  return summarizeAll(services, db, receipts, await listDeliveriesOfActions(db, actionIds))
}

type ReceiptOf = Pick<OpenReceipt, 'actionId' | 'receivers'>

async function summarizeAll(
  { accessSubscribers }: ReceiptServices,
  db: Reader,
  receipts: ReceiptOf[],
  all: ToldDelivery[],
): Promise<ToldByAction> {
  const deliveries = Map.groupBy(all, keyOfDelivery)
  const told = new Map(
    receipts.map(({ actionId, receivers }) => [
      actionId,
      receivers.map((receiver) => ({ ...receiver, ...summarize(deliveries.get(keyOf(actionId, receiver)) ?? []) })),
    ]),
  )
  const actionIds = receipts.map(({ actionId }) => actionId)
  for (const { tells } of accessSubscribers)
    for (const [actionId, more] of (await tells?.list(db, actionIds)) ?? []) told.get(actionId)?.push(...more)
  return told
}

/** The receivers of the outbox, by action, with their names as they are now. */
async function listReceivers(db: Reader, deliveries: ToldDelivery[]): Promise<Map<string, Receiver[]>> {
  const name = await nameReceivers(db, deliveries)
  const receivers = new Map<string, Map<string, Receiver>>()
  for (const delivery of deliveries) {
    const { actionId, kind, receiverId } = delivery
    const known = receivers.get(actionId) ?? new Map<string, Receiver>()
    const receiver = { kind: TOLD_AS[kind], id: receiverId, name: name(delivery) ?? receiverId }
    receivers.set(actionId, known.set(keyOf(actionId, receiver), receiver))
  }
  return new Map([...receivers].map(([actionId, known]) => [actionId, [...known.values()].toSorted(byKindAndName)]))
}

const byKindAndName = (a: Receiver, b: Receiver): number =>
  TOLD_KINDS.indexOf(a.kind) - TOLD_KINDS.indexOf(b.kind) || (a.name < b.name ? -1 : 1)

const keyOf = (actionId: string, { kind, id }: Pick<Receiver, 'kind' | 'id'>): string => `${actionId} ${kind} ${id}`
const keyOfDelivery = ({ actionId, kind, receiverId }: ToldDelivery): string =>
  keyOf(actionId, { kind: TOLD_AS[kind], id: receiverId })

/** The first of these that any delivery of a receiver is in, is what that receiver is. */
const WORST_FIRST = ['waiting', 'refused', 'given_up', 'acknowledged'] as const satisfies DeliveryState[]

/** A receiver may get several deliveries, one for each session. What is not found any more was not acknowledged in time. */
function summarize(deliveries: ToldDelivery[]): Pick<Told, 'state' | 'at'> {
  const state = WORST_FIRST.find((each) => deliveries.some((delivery) => delivery.state === each)) ?? 'given_up'
  const ends = deliveries.flatMap(({ finishedAt }) => finishedAt ?? [])
  return { state, at: state === 'waiting' || ends.length === 0 ? null : Math.max(...ends) }
}
