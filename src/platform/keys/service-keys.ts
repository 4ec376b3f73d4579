import { createPrivateKey, generateKeyPairSync, type KeyObject } from 'node:crypto'
import { StartError } from '../../errors.ts'
import type { Database, Trx } from '../../storage/database.ts'
import type { Signals } from '../../storage/signals.ts'
import { recordEvent, THE_SERVICE } from '../audit/record-event.ts'
import type { Vault } from '../crypto/vault.ts'
import { addKeyOnce, listKeys, type KeyPurpose, type KeyState } from './service-key-store.ts'

export interface ServiceKey {
  id: string
  state: KeyState
  privateKey: KeyObject
  /** SPKI, PEM. */
  publicKey: string
  /** When it began to sign, or will, where that was planned. */
  signAt: number | null
}

/** The identifiers of the first keys. The specification names the signing key's. */
const FIRST_KEY_IDS: Record<MadeAtOnce, string> = {
  signing: 'service-id-1',
  'ssh-ca': 'ssh-ca-1',
  'ssh-host-ca': 'ssh-host-ca-1',
}

/** The service has these from its first start. An RSA key is made only when a client needs it (`signing-keys.ts`). */
type MadeAtOnce = Exclude<KeyPurpose, 'signing-rsa'>

interface KeyServices {
  db: Database
  now: () => number
  vault: Vault
}

/** Every usable key of one purpose, decrypted. The first one is made when there is none. */
export async function loadServiceKeys(needs: KeyServices, purpose: MadeAtOnce): Promise<ServiceKey[]> {
  const stored = await readServiceKeys(needs, purpose)
  if (stored.length > 0) return stored
  await needs.db.transaction((trx) => addServiceKey(needs, trx, purpose, FIRST_KEY_IDS[purpose], 'active'))
  // Another replica may have been first: what is stored counts, not what was just made.
  return readServiceKeys(needs, purpose)
}

/** Every usable key of one purpose, decrypted. There may be none. */
export async function readServiceKeys(
  needs: Pick<KeyServices, 'db' | 'vault'>,
  purpose: KeyPurpose,
): Promise<ServiceKey[]> {
  const stored = await listKeys(needs.db.read, purpose)
  return stored.map(({ id, state, publicKey, sealedPrivateKey, signAt = null }) => {
    let der: Buffer
    try {
      der = needs.vault.open(`${purpose}:${id}`, sealedPrivateKey)
    } catch {
      throw new StartError(
        `The ${purpose} key ${id} can't be opened with this SECRET_KEY. Use the one that it was encrypted with (SECRET_KEY, or secret.key in the data folder). The key is not replaced.`,
      )
    }
    return { id, state, publicKey, signAt, privateKey: createPrivateKey({ key: der, format: 'der', type: 'pkcs8' }) }
  })
}

export async function addServiceKey(
  needs: Omit<KeyServices, 'db'>,
  trx: Trx,
  purpose: MadeAtOnce,
  id: string,
  state: KeyState,
): Promise<void> {
  const pair =
    purpose === 'signing' ? generateKeyPairSync('ec', { namedCurve: 'P-256' }) : generateKeyPairSync('ed25519')
  await storeServiceKey(needs, trx, { purpose, id, state }, pair)
}

/** Stores a key pair, with its private half sealed. */
export async function storeServiceKey(
  { now, vault }: Omit<KeyServices, 'db'>,
  trx: Trx,
  { purpose, id, state }: { purpose: KeyPurpose; id: string; state: KeyState },
  { publicKey, privateKey }: { publicKey: KeyObject; privateKey: KeyObject },
): Promise<void> {
  await addKeyOnce(trx, {
    id,
    purpose,
    state,
    publicKey: publicKey.export({ format: 'pem', type: 'spki' }),
    sealedPrivateKey: vault.seal(`${purpose}:${id}`, privateKey.export({ format: 'der', type: 'pkcs8' })),
    createdAt: now(),
  })
}

/** Records a change of a signing key in the audit trail, and signals it to every replica. */
export async function announceKey(
  services: { now: () => number; signals: Signals },
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
