import type { Database, Trx } from '../../storage/database.ts'
import type { Signals } from '../../storage/signals.ts'
import type { Vault } from '../crypto/vault.ts'
import {
  countSkipped,
  lockKeys,
  listKeys,
  markActivated,
  markPublished,
  markRetired,
  type StoredKey,
} from './service-key-store.ts'
import { announceKey, addServiceKey, storeServiceKey } from './service-keys.ts'
import { makeRsaKey } from './signing-keys.ts'

interface RotationServices {
  db: Database
  now: () => number
  vault: Vault
  signals: Signals
}

/** Twice as long as the key set may be cached, so that every verifier has read the key before it signs. */
const PUBLISHED_FIRST_MS = 10 * 60_000

/** The keys for ES256, and those for RS256 if a client uses it. They are rotated together. */
const PURPOSES = ['signing', 'signing-rsa'] as const

/**
 * Starts a rotation: the next key is published, and signs later. While one is waiting, none is added.
 * Returns the id of the next key. The key, its audit event and the signal to the other replicas are one transaction: a
 * key that is stored without the signal would sign before the other replicas publish it.
 */
export async function publishNextKey(services: RotationServices): Promise<string> {
  const rsaPair = await makeNextRsaPair(services)
  return services.db.transaction((trx) => publish(services, trx, rsaPair))
}

/** Publishes the next key and signs with it at once, or does neither. For a key that may have leaked. */
export async function rotateAtOnce(services: RotationServices): Promise<string> {
  const rsaPair = await makeNextRsaPair(services)
  return services.db.transaction(async (trx) => {
    const id = await publish(services, trx, rsaPair)
    for (const purpose of PURPOSES) {
      const waiting = findWaiting(await listKeys(trx, purpose))
      if (waiting) await activate(services, trx, waiting)
    }
    return id
  })
}

/** Makes the next key the one that signs, once it has been published for long enough. Earlier keys still verify. */
export async function activateNextKey(
  services: RotationServices,
  publishedFor: number = PUBLISHED_FIRST_MS,
): Promise<string | undefined> {
  const activated: string[] = []
  for (const purpose of PURPOSES) {
    const waiting = findWaiting(await listKeys(services.db.read, purpose))
    if (waiting && (await activateInTime(services, waiting, publishedFor))) activated.push(waiting.id)
  }
  return activated[0]
}

async function activateInTime(services: RotationServices, waiting: StoredKey, publishedFor: number): Promise<boolean> {
  const { db, now } = services
  // The clock was wrong then or is wrong now, so how long it has been published is unknown: its time begins again.
  if (waiting.createdAt > now()) await db.transaction((trx) => markPublished(trx, waiting.id, now()))
  if (Math.min(waiting.createdAt, now()) > now() - publishedFor) return false
  return db.transaction((trx) => activate(services, trx, waiting))
}

const findWaiting = (keys: StoredKey[]): StoredKey | undefined => keys.find(({ state }) => state === 'next')

/** Before the transaction, which would take too long otherwise. Undefined when no client uses RS256. */
const makeNextRsaPair = async ({ db }: RotationServices) =>
  (await listKeys(db.read, 'signing-rsa')).length > 0 ? makeRsaKey() : undefined

async function publish(
  services: RotationServices,
  trx: Trx,
  rsaPair: Awaited<ReturnType<typeof makeRsaKey>> | undefined,
): Promise<string> {
  await lockKeys(trx)
  const keys = await listKeys(trx, 'signing', 'all')
  const waiting = keys.find(({ state, retiredAt }) => state === 'next' && retiredAt === null)
  const id = waiting?.id ?? `service-id-${(await countSkipped(trx)) + keys.length + 1}`
  if (!waiting) {
    await addServiceKey(services, trx, 'signing', id, 'next')
    await announceKey(services, trx, 'published', id)
  }
  const rsaKeys = await listKeys(trx, 'signing-rsa', 'all')
  if (rsaPair && !findWaiting(rsaKeys)) {
    const rsaId = `service-id-rsa-${(await countSkipped(trx)) + rsaKeys.length + 1}`
    await storeServiceKey(services, trx, { purpose: 'signing-rsa', id: rsaId, state: 'next' }, rsaPair)
    await announceKey(services, trx, 'published', rsaId)
  }
  return id
}

/** False when another replica has done so already. */
async function activate(services: RotationServices, trx: Trx, { purpose, id }: StoredKey): Promise<boolean> {
  await lockKeys(trx)
  if (!(await markActivated(trx, purpose, id))) return false
  await announceKey(services, trx, 'activated', id)
  return true
}

/** Withdraws every earlier key: what it signed is no longer accepted. For a key that may have leaked. */
export const retirePreviousKeys = (services: RotationServices): Promise<string[]> =>
  services.db.transaction(async (trx) => {
    await lockKeys(trx)
    const retired: string[] = []
    for (const purpose of PURPOSES) retired.push(...(await markRetired(trx, purpose, services.now())))
    for (const id of retired) await announceKey(services, trx, 'retired', id)
    return retired
  })
