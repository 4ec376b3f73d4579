import { generateKeyPair } from 'node:crypto'
import { promisify } from 'node:util'
import type { Database, Trx } from '../../storage/database.ts'
import type { Signals } from '../../storage/signals.ts'
import type { Vault } from '../crypto/vault.ts'
import { announceKey } from './announce-key.ts'
import { storeServiceKey } from './load-service-keys.ts'
import { lockKeys, listKeys } from './service-key-store.ts'

interface Needs {
  db: Database
  now: () => number
  vault: Vault
  signals: Signals
}

const MODULUS_BITS = 3072
const FIRST_RSA_KEY = 'service-id-rsa-1'

/** Takes a second of processor time, on another thread. */
export const makeRsaKey = () => promisify(generateKeyPair)('rsa', { modulusLength: MODULUS_BITS })

/**
 * Makes the RSA key that signs ID tokens, when the first client asks for RS256. It takes too long for a transaction, so it is made
 * before, and stored together with the change that needs it. Undefined when no key has to be made.
 */
export async function prepareRsaKey(
  services: Needs,
  alg: string | undefined,
): Promise<{ store(trx: Trx): Promise<void> } | undefined> {
  if (alg !== 'RS256' || (await listKeys(services.db.read, 'signing-rsa')).length > 0) return undefined
  const pair = await makeRsaKey()
  return {
    async store(trx) {
      await lockKeys(trx)
      if ((await listKeys(trx, 'signing-rsa')).length > 0) return
      await storeServiceKey(services, trx, { purpose: 'signing-rsa', id: FIRST_RSA_KEY, state: 'active' }, pair)
      await announceKey(services, trx, 'published', FIRST_RSA_KEY)
    },
  }
}
