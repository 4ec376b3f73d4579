import { recordEvent, THE_SERVICE } from '../audit/record-event.ts'
import type { Services } from '../services.ts'
import { addServiceKey } from './load-service-keys.ts'
import { countSkipped, listKeys, markActivated, markRetired } from './service-key-store.ts'

type Needs = Pick<Services, 'db' | 'now' | 'vault' | 'signals'>

/** Twice as long as anybody may cache the key set, so that whoever checks a new signature has heard of its key. */
export const PUBLISHED_FIRST_MS = 10 * 60_000

/**
 * Starts a rotation: the next key is published and waits there for its turn. While one is waiting, nothing is added.
 * Answers the id of the key that comes next.
 */
export async function publishNextKey(services: Needs): Promise<string> {
  const { db, signals } = services
  const keys = await listKeys(db, 'signing', 'all')
  const waiting = keys.find(({ state, retiredAt }) => state === 'next' && retiredAt === null)
  if (waiting) return waiting.id
  // Two rotations at once choose the same id, and one key is made.
  const id = `service-id-${(await countSkipped(db)) + keys.length + 1}`
  await addServiceKey(services, 'signing', id, 'next')
  await db.transaction().execute(async (trx) => {
    await recordEvent(services, trx, {
      action: 'signing_key.published',
      outcome: 'success',
      actor: THE_SERVICE,
      target: { type: 'signing_key', id },
    })
    await signals.emit(trx, 'keys-changed', null)
  })
  return id
}

/** Makes the next key the one that signs, once it has been published for long enough. Earlier ones go on verifying. */
export async function activateNextKey(
  services: Needs,
  publishedFor: number = PUBLISHED_FIRST_MS,
): Promise<string | undefined> {
  const { db, now, signals } = services
  const waiting = (await listKeys(db, 'signing')).find(({ state }) => state === 'next')
  if (!waiting || waiting.createdAt > now() - publishedFor) return undefined
  return db.transaction().execute(async (trx) => {
    if (!(await markActivated(trx, 'signing', waiting.id))) return undefined
    await recordEvent(services, trx, {
      action: 'signing_key.activated',
      outcome: 'success',
      actor: THE_SERVICE,
      target: { type: 'signing_key', id: waiting.id },
    })
    await signals.emit(trx, 'keys-changed', null)
    return waiting.id
  })
}

/** Withdraws every earlier key: what it signed is no longer believed. For a key that somebody may have got hold of. */
export async function retirePreviousKeys(services: Needs): Promise<string[]> {
  const { db, now, signals } = services
  return db.transaction().execute(async (trx) => {
    const retired = await markRetired(trx, 'signing', now())
    for (const id of retired) {
      await recordEvent(services, trx, {
        action: 'signing_key.retired',
        outcome: 'success',
        actor: THE_SERVICE,
        target: { type: 'signing_key', id },
      })
    }
    await signals.emit(trx, 'keys-changed', null)
    return retired
  })
}
