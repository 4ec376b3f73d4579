import type { Database, Trx } from '../../storage/database.ts'
import type { Signals } from '../../storage/signals.ts'
import { recordEvent, THE_SERVICE } from '../audit/record-event.ts'
import type { Vault } from '../crypto/vault.ts'
import {
  countSkipped,
  lockKeys,
  listKeys,
  markActivated,
  markRetired,
  markRetiredInTime,
  setRetireTime,
  setSignTime,
  type SshPurpose,
} from './service-key-store.ts'
import { addServiceKey } from './service-keys.ts'
import { addRotation } from './ssh-ca-chain.ts'

interface RotationServices {
  db: Database
  now: () => number
  vault: Vault
  signals: Signals
}

/** Clocks of hosts and of replicas that differ, and a request that is under way. */
const SPARE_MS = 3600_000

export interface PublishedCa {
  id: string
  /** Epoch milliseconds. */
  signAt: number
}

/**
 * Starts the replacement of an SSH CA: both keys are trusted, that of users by hosts and that of hosts by people. The new one signs
 * at the given time, when all have it. While one is waiting, none is added, and its time can be changed.
 */
export const publishNextSshCa = (
  services: RotationServices,
  purpose: SshPurpose,
  { trustedForMs }: { trustedForMs: number },
): Promise<PublishedCa> =>
  services.db.transaction(async (trx) => {
    await lockKeys(trx)
    const keys = await listKeys(trx, purpose, 'all')
    const waiting = keys.find(({ state, retiredAt }) => state === 'next' && retiredAt === null)
    const id = waiting?.id ?? `${purpose}-${(await countSkipped(trx)) + keys.length + 1}`
    if (!waiting) {
      await addServiceKey(services, trx, purpose, id, 'next')
      await addRotation(services, trx, purpose)
      await announce(services, trx, 'published', id)
    }
    const signAt = services.now() + trustedForMs
    await setSignTime(trx, id, signAt)
    return { id, signAt }
  })

/** Lets a key sign whose time has come, and withdraws those whose certificates have all expired. */
export const advanceSshCa = async (
  services: RotationServices,
  purpose: SshPurpose,
  maxCertificateSeconds: number,
): Promise<string[]> => {
  const { db, now } = services
  const keys = await listKeys(db.read, purpose)
  const isDue = keys.some(({ state, signAt, retireAt }) =>
    state === 'next' ? (signAt ?? Infinity) <= now() : state === 'previous' && (retireAt ?? Infinity) <= now(),
  )
  if (!isDue) return []
  return db.transaction(async (trx) => {
    await lockKeys(trx)
    const changed: string[] = []
    for (const { id, state, signAt } of await listKeys(trx, purpose)) {
      if (state !== 'next' || (signAt ?? Infinity) > now() || !(await markActivated(trx, purpose, id))) continue
      await setRetireTime(trx, purpose, now() + maxCertificateSeconds * 1000 + SPARE_MS)
      await announce(services, trx, 'activated', id)
      changed.push(id)
    }
    for (const id of await markRetiredInTime(trx, purpose, now())) {
      await announce(services, trx, 'retired', id)
      changed.push(id)
    }
    return changed
  })
}

/** Withdraws every earlier key of the CA at once: what it signed is refused. For a key that may have leaked. */
export const retirePreviousSshCa = (services: RotationServices, purpose: SshPurpose): Promise<string[]> =>
  services.db.transaction(async (trx) => {
    await lockKeys(trx)
    const retired = await markRetired(trx, purpose, services.now())
    for (const id of retired) await announce(services, trx, 'retired', id)
    return retired
  })

async function announce(
  services: RotationServices,
  trx: Trx,
  what: 'published' | 'activated' | 'retired',
  id: string,
): Promise<void> {
  await recordEvent(services, trx, {
    action: `ssh_ca.${what}`,
    outcome: 'success',
    actor: THE_SERVICE,
    target: { type: 'ssh_ca', id },
  })
  await services.signals.emit(trx, 'keys-changed', null)
}
