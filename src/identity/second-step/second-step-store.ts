import type { Reader, Trx, WriteTarget } from '../../storage/database.ts'
import { writeStatement, type Values } from '../../storage/statement.ts'

export interface Totp {
  sealed: string
  /** Null until a first code was right. */
  since: number | null
}

export async function findTotp(db: Reader, userId: string): Promise<Totp | undefined> {
  const row = await db
    .selectFrom('users')
    .select(['totp_sealed as sealed', 'totp_since as since'])
    .where('id', '=', userId)
    .executeTakeFirst()
  return row?.sealed ? { sealed: row.sealed, since: row.since } : undefined
}

/** Null removes it. */
export async function storeTotp(trx: Trx, userId: string, totp: Totp | null): Promise<void> {
  const columns = { totp_sealed: totp?.sealed ?? null, totp_since: totp?.since ?? null }
  await trx.updateTable('users').set(columns).where('id', '=', userId).execute()
}

/** Marks the code of a time step as used. False when it was used before, on whatever replica. */
export async function consumeStep(trx: Trx, userId: string, step: number): Promise<boolean> {
  const added = await trx
    .insertInto('totp_used_steps')
    .values({ user_id: userId, step })
    .onConflict((conflict) => conflict.doNothing())
    .returning('step')
    .execute()
  return added.length > 0
}

/** Those whose codes are too old anyhow. */
export async function deleteStepsBefore(trx: Trx, userId: string, step: number): Promise<void> {
  await trx.deleteFrom('totp_used_steps').where('user_id', '=', userId).where('step', '<', step).execute()
}

/** Takes a recovery code: it works once. */
export async function consumeRecoveryCode(trx: Trx, userId: string, hash: string): Promise<boolean> {
  const taken = await trx
    .deleteFrom('recovery_codes')
    .where('user_id', '=', userId)
    .where('code_hash', '=', hash)
    .returning('code_hash')
    .execute()
  return taken.length > 0
}

export async function replaceRecoveryCodes(trx: Trx, userId: string, hashes: string[]): Promise<void> {
  await trx.deleteFrom('recovery_codes').where('user_id', '=', userId).execute()
  const rows = hashes.map((code_hash) => ({ user_id: userId, code_hash }))
  if (rows.length > 0) await trx.insertInto('recovery_codes').values(rows).execute()
}

export async function countRecoveryCodes(db: Reader, userId: string): Promise<number> {
  const { left } = await db
    .selectFrom('recovery_codes')
    .select(({ fn }) => fn.countAll<number>().as('left'))
    .where('user_id', '=', userId)
    .executeTakeFirstOrThrow()
  return left
}

export interface WaitingSignIn {
  id: string
  userId: string
  browserHash: string
  passwordNumber: number
  remembered: boolean
  now: number
}

/** How long the second step of a sign-in may take, and how often it may be tried. */
export const WAITING_MS = 5 * 60_000
const MAX_TRIES = 5

export async function addWaitingSignIn(
  trx: Trx,
  { id, userId, browserHash, passwordNumber, remembered, now }: WaitingSignIn,
): Promise<void> {
  const row = { id, user_id: userId, browser_hash: browserHash, password_number: passwordNumber }
  const times = { tries: 0, created_at: now, expires_at: now + WAITING_MS }
  await trx
    .insertInto('waiting_sign_ins')
    .values({ ...row, remembered: Number(remembered), ...times })
    .execute()
}

interface Which {
  id: string
  browserHash: string
  now: number
}

/** Whose sign-in waits under this id in this browser. */
export async function findWaitingSignIn(
  db: Reader,
  { id, browserHash, now }: Which,
): Promise<{ userId: string; email: string } | undefined> {
  return db
    .selectFrom('waiting_sign_ins')
    .innerJoin('users', 'users.id', 'waiting_sign_ins.user_id')
    .select(['users.id as userId', 'users.email'])
    .where('waiting_sign_ins.id', '=', id)
    .where('browser_hash', '=', browserHash)
    .where('expires_at', '>', now)
    .where('users.deleted_at', 'is', null)
    .executeTakeFirst()
}

const claim = writeStatement((db, value: Values<Which & { max: number }>) =>
  db
    .updateTable('waiting_sign_ins')
    .set((eb) => ({ tries: eb('tries', '+', 1) }))
    .where('id', '=', value('id'))
    .where('browser_hash', '=', value('browserHash'))
    .where('expires_at', '>', value('now'))
    .where('tries', '<', value('max'))
    .returning(['password_number', 'remembered']),
)

/** Counts a try, before it is looked at. Undefined when there are none left. */
export async function claimTry(
  db: WriteTarget,
  which: Which,
): Promise<{ passwordNumber: number; remember: boolean } | undefined> {
  const [row] = await claim(db, { ...which, max: MAX_TRIES })
  return row && { passwordNumber: row.password_number, remember: row.remembered === 1 }
}

/** Deletes one that is over. False when another request was quicker. */
export async function consumeWaitingSignIn(trx: Trx, id: string): Promise<boolean> {
  const deleted = await trx.deleteFrom('waiting_sign_ins').where('id', '=', id).returning('id').execute()
  return deleted.length > 0
}

/** Removes the second step of an account with all that belongs to it. */
export async function deleteSecondStep(trx: Trx, userId: string): Promise<void> {
  await storeTotp(trx, userId, null)
  for (const table of ['totp_used_steps', 'recovery_codes', 'waiting_sign_ins'] as const)
    await trx.deleteFrom(table).where('user_id', '=', userId).execute()
}
