import { createPrivateKey, createPublicKey } from 'node:crypto'
import type { Reader, Trx } from '../../storage/database.ts'
import type { Vault } from '../crypto/vault.ts'
import { openAuthority } from '../openssh/certificate.ts'
import { formatPublicKey, publicKeyBlob } from '../openssh/public-key.ts'
import { signMessage } from '../openssh/signature.ts'
import { findInstallation } from './installation-store.ts'
import { countSkipped, listKeys, type SshPurpose } from './service-key-store.ts'

const NAMESPACE = 'latchkey-ca'

/** What a line says. Hosts follow those of `user`, people those of `host`. */
interface Rotation {
  installation: string
  kind: 'user' | 'host'
  /** Grows with each rotation of this kind; after a restore it jumps, so that no number stands for two rotations. */
  number: number
  /** All keys that are trusted from then on, the one that signs first. */
  keys: string[]
}

const KINDS: Record<SshPurpose, Rotation['kind']> = { 'ssh-ca': 'user', 'ssh-host-ca': 'host' }

/** Far more than any authority has: whoever is further behind is set up anew. */
const MAX_LINES = 200

/**
 * Writes down which keys are trusted now that another one was added, signed by the key that signs until it is replaced. The
 * caller has locked the keys.
 */
export async function addRotation(
  { now, vault }: { now: () => number; vault: Vault },
  trx: Trx,
  purpose: SshPurpose,
): Promise<void> {
  const keys = await listKeys(trx, purpose)
  const outgoing = keys.findLast(({ state }) => state === 'active')
  if (!outgoing) throw new Error(`No key of ${purpose} is active.`)
  const trusted = [outgoing, ...keys.filter((key) => key !== outgoing)]
  const kind = KINDS[purpose]
  const number = Math.max(await findLastNumber(trx, kind), await countSkipped(trx)) + 1
  const rotation: Rotation = {
    installation: await findInstallation(trx),
    kind,
    number,
    keys: trusted.map(({ publicKey }) => formatPublicKey(publicKeyBlob(createPublicKey(publicKey)))),
  }
  const content = Buffer.from(JSON.stringify(rotation))
  const der = vault.open(`${purpose}:${outgoing.id}`, outgoing.sealedPrivateKey)
  const authority = openAuthority(createPrivateKey({ key: der, format: 'der', type: 'pkcs8' }))
  const signature = signMessage(authority, NAMESPACE, content)
  const line = `${content.toString('base64')} ${signature.toString('base64')}`
  await trx.insertInto('ssh_ca_rotations').values({ kind, number, line, created_at: now() }).execute()
}

async function findLastNumber(db: Reader, kind: Rotation['kind']): Promise<number> {
  const { last } = await db
    .selectFrom('ssh_ca_rotations')
    .select(({ fn }) => fn.max<number | null>('number').as('last'))
    .where('kind', '=', kind)
    .executeTakeFirstOrThrow()
  return last ?? 0
}

/** The last rotations of one authority, the oldest first. */
export async function listRotations(db: Reader, purpose: SshPurpose): Promise<string[]> {
  const rows = await db
    .selectFrom('ssh_ca_rotations')
    .select('line')
    .where('kind', '=', KINDS[purpose])
    .orderBy('number', 'desc')
    .limit(MAX_LINES)
    .execute()
  return rows.map(({ line }) => line).toReversed()
}
