import { sql } from 'kysely'
import { isDeliveryWaiting } from '../../platform/outbox/told-receivers.ts'
import type { Trx } from '../../storage/database.ts'
import type { IdentityServices, Told } from '../access-events.ts'
import { describeLeaving, digestOfProof } from './leaving-proof.ts'
import { readTold } from './open-receipts.ts'
import { addProof, type ChainHead, lockHead } from './proof-store.ts'
import { ACTION_ID, listReceiptsWhere, markComplete, type OpenReceipt, takeReceipts } from './receipt-store.ts'
import { signProof } from './sign-proof.ts'

export type CompletingServices = Pick<IdentityServices, 'config' | 'db' | 'now' | 'signingKeys' | 'accessSubscribers'>

/** In one transaction, which other proofs wait for. */
const BATCH = 50
/** The rest waits for the next run, so that a service that is shutting down stops soon. */
const MAX_BATCHES = 20

/** Completes the receipts for which nobody is to be told any more. */
export async function completeReceipts(services: CompletingServices): Promise<void> {
  for (let batch = 0; batch < MAX_BATCHES; batch++) {
    const actionIds = await listReceiptsWhere(services.db.read, nobodyWaits(services), BATCH)
    if (actionIds.length > 0) await completeThese(services, actionIds)
    if (actionIds.length < BATCH) return
  }
}

/**
 * Completes those of these receipts for which nobody is to be told any more. The transaction that removes a receipt makes its proof: of
 * two replicas one finds the receipt.
 */
export const completeThese = ({ db, ...services }: CompletingServices, actionIds: string[]): Promise<void> =>
  db.transaction(async (trx) => {
    const head = await lockHead(trx, services.now())
    const receipts = await takeReceipts(trx, actionIds, nobodyWaits(services))
    const told = await readTold(services, trx, receipts)
    let last = head
    for (const receipt of receipts) last = await prove(services, trx, last, receipt, told.get(receipt.actionId) ?? [])
  })

const nobodyWaits = ({ accessSubscribers }: Pick<CompletingServices, 'accessSubscribers'>) =>
  sql<boolean>`not (${sql.join(
    [isDeliveryWaiting(ACTION_ID), ...accessSubscribers.flatMap(({ tells }) => tells?.isWaiting(ACTION_ID) ?? [])],
    sql` or `,
  )})`

/** Makes the next proof of the chain, and returns the chain with it. */
async function prove(
  services: Omit<CompletingServices, 'db'>,
  trx: Trx,
  head: ChainHead,
  receipt: OpenReceipt,
  told: Told[],
): Promise<ChainHead> {
  const statement = describeLeaving(receipt, told)
  const { chain, digest: previous, restored } = head
  const number = head.number + 1
  const at = services.now()
  const proof = await signProof(services, trx, {
    number,
    ...statement,
    previous,
    ...(restored && number === 1 && { restoredFrom: restored.from }),
  })
  const digest = digestOfProof(proof)
  const { actionId, userId, executedAt } = receipt
  const completedAt = statement.completedAt ?? at
  const durationMs = statement.complete ? completedAt - executedAt : null
  await addProof(trx, { chain, number, actionId, userId, proof, digest, durationMs, at })
  await markComplete(trx, { actionId, completedAt, told })
  return { chain, number, digest, restored }
}
