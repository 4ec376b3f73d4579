import { recordEvent, THE_SERVICE } from '../audit/record-event.ts'
import type { Vault } from '../crypto/vault.ts'
import type { Database, Trx } from '../storage/database.ts'
import type { Signals } from '../storage/signals.ts'
import { addServiceKey } from './load-service-keys.ts'
import { countSkipped, holdKeys, listKeys, markActivated, markPublished, markRetired } from './service-key-store.ts'

interface Needs {
  db: Database
  now: () => number
  vault: Vault
  signals: Signals
}

/** Twice as long as the key set may be cached, so that every verifier has read the key before it signs. */
const PUBLISHED_FIRST_MS = 10 * 60_000

/**
 * Starts a rotation: the next key is published, and signs later. While one is waiting, none is added.
 * Returns the id of the next key. The key, its audit event and the signal to the other replicas are one transaction: a
 * key that is stored without the signal would sign before the other replicas publish it.
 */
export const publishNextKey = (services: Needs): Promise<string> =>
  services.db.transaction((trx) => publish(services, trx))

/** Publishes the next key and signs with it at once, or does neither. For a key that may have leaked. */
export const rotateAtOnce = (services: Needs): Promise<string> =>
  services.db.transaction(async (trx) => {
    const id = await publish(services, trx)
    await activate(services, trx, id)
    return id
  })

/** Makes the next key the one that signs, once it has been published for long enough. Earlier keys still verify. */
export async function activateNextKey(
  services: Needs,
  publishedFor: number = PUBLISHED_FIRST_MS,
): Promise<string | undefined> {
  const { db, now } = services
  const waiting = (await listKeys(db.read, 'signing')).find(({ state }) => state === 'next')
  if (!waiting) return undefined
  // The clock was wrong then or is wrong now, so how long it has been published is unknown: its time begins again.
  if (waiting.createdAt > now()) await db.transaction((trx) => markPublished(trx, waiting.id, now()))
  if (Math.min(waiting.createdAt, now()) > now() - publishedFor) return undefined
  const activated = await db.transaction((trx) => activate(services, trx, waiting.id))
  return activated ? waiting.id : undefined
}

async function publish(services: Needs, trx: Trx): Promise<string> {
  await holdKeys(trx)
  const keys = await listKeys(trx, 'signing', 'all')
  const waiting = keys.find(({ state, retiredAt }) => state === 'next' && retiredAt === null)
  if (waiting) return waiting.id
  const id = `service-id-${(await countSkipped(trx)) + keys.length + 1}`
  await addServiceKey(services, trx, 'signing', id, 'next')
  await announce(services, trx, 'published', id)
  return id
}

/** False when another replica has done so already. */
async function activate(services: Needs, trx: Trx, id: string): Promise<boolean> {
  await holdKeys(trx)
  if (!(await markActivated(trx, 'signing', id))) return false
  await announce(services, trx, 'activated', id)
  return true
}

/** Records the change in the audit trail and signals it to the other replicas. */
async function announce(
  services: Needs,
  trx: Trx,
  what: 'published' | 'activated' | 'retired',
  id: string,
): Promise<void> {
  await recordEvent(services, trx, {
    action: `signing_key.${what}`,
    outcome: 'success',
    actor: THE_SERVICE,
    target: { type: 'signing_key', id },
  })
  await services.signals.emit(trx, 'keys-changed', null)
}

/** Withdraws every earlier key: what it signed is no longer accepted. For a key that may have leaked. */
export const retirePreviousKeys = (services: Needs): Promise<string[]> =>
  services.db.transaction(async (trx) => {
    await holdKeys(trx)
    const retired = await markRetired(trx, 'signing', services.now())
    for (const id of retired) await announce(services, trx, 'retired', id)
    return retired
  })
