import { refuse } from '../../errors.ts'
import type { IdentityServices } from '../access-events.ts'
import { completeThese, type CompletingServices } from '../receipts/complete-receipts.ts'
import { describeLeaving } from '../receipts/leaving-proof.ts'
import { readTold } from '../receipts/open-receipts.ts'
import { findProof } from '../receipts/proof-store.ts'
import { listReceipts } from '../receipts/receipt-store.ts'
import { signProof } from '../receipts/sign-proof.ts'
import { lifecycleErrors } from './lifecycle-errors.ts'
import { findActionFor } from './lifecycle-store.ts'

interface ProofRequest {
  userId: string
  actionId: string
  viewerId: string
  partial: boolean
}

/**
 * The proof of a disable, also of an account that was deleted since. While somebody is still to be told there is none; `partial` asks
 * for what is known by now.
 */
export async function readProof(
  services: CompletingServices & Pick<IdentityServices, 'db'>,
  { userId, actionId, viewerId, partial }: ProofRequest,
): Promise<string> {
  const { db } = services
  const made = await findProof(db.read, userId, actionId)
  if (made !== undefined) return made
  const [receipt] = await listReceipts(db.read, [actionId])
  if (receipt?.userId !== userId) {
    const action =
      (await findActionFor(db.read, { userId, actionId, viewerId })) ?? refuse(lifecycleErrors.no_such_action())
    const isToCome = action.action === 'disable' && (action.status === 'pending' || action.status === 'running')
    return refuse(isToCome ? lifecycleErrors.proof_not_complete() : lifecycleErrors.no_proof())
  }
  const told = (await readTold(services, db.read, [receipt])).get(actionId) ?? []
  if (told.every(({ state }) => state !== 'waiting')) {
    // The job has not come to it yet.
    await completeThese(services, [actionId])
    const completed = await findProof(db.read, userId, actionId)
    if (completed !== undefined) return completed
  }
  if (!partial) return refuse(lifecycleErrors.proof_not_complete())
  return signProof(services, db.read, { partial: true, ...describeLeaving(receipt, told) })
}
