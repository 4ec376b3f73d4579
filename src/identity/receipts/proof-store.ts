import { sql } from 'kysely'
import type { Reader, Trx } from '../../storage/database.ts'

/** Where the next proof belongs. */
export interface ChainHead {
  chain: number
  /** Of the last proof; 0 while there is none. */
  number: number
  digest: string | null
  /** The chain was begun by a restore, behind the proof with this digest; with null there was no proof. */
  restored: { from: string | null } | undefined
}

const FIRST_CHAIN = 1

/** The chain that is written now, locked until the transaction ends: proofs are made one after the other, on all replicas. */
export async function lockHead(trx: Trx, now: number): Promise<ChainHead> {
  await trx
    .insertInto('proof_chains')
    .values({ chain: FIRST_CHAIN, restored_from: null, began_at: now })
    .onConflict((conflict) => conflict.column('chain').doNothing())
    .execute()
  const { chain, restored_from } = await trx
    .selectFrom('proof_chains')
    .select(['chain', 'restored_from'])
    .orderBy('chain', 'desc')
    .limit(1)
    .forUpdate()
    .executeTakeFirstOrThrow()
  const last = await findLast(trx, chain)
  return {
    chain,
    number: last?.number ?? 0,
    digest: last?.digest ?? null,
    restored: chain === FIRST_CHAIN ? undefined : { from: restored_from },
  }
}

const findLast = (db: Reader, chain: number) =>
  db
    .selectFrom('leaving_proofs')
    .select(['number', 'digest'])
    .where('chain', '=', chain)
    .orderBy('number', 'desc')
    .limit(1)
    .executeTakeFirst()

/** Begins another chain behind the last proof. For a restored backup: proofs that were made after it are not in it. */
export async function beginChain(trx: Trx, now: number): Promise<void> {
  const { chain, digest, restored } = await lockHead(trx, now)
  await trx
    .insertInto('proof_chains')
    .values({ chain: chain + 1, restored_from: digest ?? restored?.from ?? null, began_at: now })
    .execute()
}

export interface NewProof {
  chain: number
  number: number
  actionId: string
  userId: string
  proof: string
  digest: string
  durationMs: number | null
  at: number
}

export async function addProof(trx: Trx, { chain, number, proof, digest, ...rest }: NewProof): Promise<void> {
  await trx
    .insertInto('leaving_proofs')
    .values({
      chain,
      number,
      action_id: rest.actionId,
      user_id: rest.userId,
      proof,
      digest,
      duration_ms: rest.durationMs,
      created_at: rest.at,
    })
    .execute()
}

/** Of this action, if that was about this user. */
export const findProof = async (db: Reader, userId: string, actionId: string): Promise<string | undefined> =>
  (
    await db
      .selectFrom('leaving_proofs')
      .select('proof')
      .where('action_id', '=', actionId)
      .where('user_id', '=', userId)
      .executeTakeFirst()
  )?.proof

/** How long it took until nothing was left: so many of a hundred took no longer. Null when there were none since then. */
export async function readDurations<const Percent extends number>(
  db: Reader,
  since: number,
  percents: readonly Percent[],
): Promise<Record<Percent, number> | null> {
  const timed = db
    .selectFrom('leaving_proofs')
    .where('created_at', '>=', since)
    .where(sql<boolean>`duration_ms is not null`)
  const { count } = await timed.select((eb) => eb.fn.countAll<number>().as('count')).executeTakeFirstOrThrow()
  if (count === 0) return null
  const found = {} as Record<Percent, number>
  for (const percent of percents) {
    const { duration_ms } = await timed
      .select('duration_ms')
      .orderBy('duration_ms')
      .limit(1)
      .offset(Math.ceil((count * percent) / 100) - 1)
      .executeTakeFirstOrThrow()
    found[percent] = duration_ms ?? 0
  }
  return found
}
