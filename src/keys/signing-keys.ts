import { createPublicKey, type KeyObject, sign } from 'node:crypto'
import type { Logger } from 'pino'
import type { Vault } from '../crypto/vault.ts'
import type { Database } from '../storage/database.ts'
import type { Signals } from '../storage/signals.ts'
import { loadServiceKeys, type ServiceKey } from './load-service-keys.ts'

/** The keys that sign ID tokens: one is active; the earlier ones and the next one are published beside it. */
export interface SigningKeys {
  /** A compact JWS over the claims, by the active key. */
  sign(claims: Record<string, unknown>): string
  /** RFC 7517, as text. */
  jwks(): string
  /** Reads the keys again. */
  reload(): Promise<void>
}

interface Needs {
  db: Database
  now: () => number
  vault: Vault
  signals: Signals
  log: Logger
}

interface Loaded {
  header: string
  privateKey: KeyObject
  jwks: string
}

/** RFC 7518 section 3.4: the two integers side by side, not in DER. */
const ENCODING = 'ieee-p1363'

const encode = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url')

export async function openSigningKeys(needs: Needs): Promise<SigningKeys> {
  let loaded: Loaded | undefined
  let begun = 0
  let applied = 0

  /** Of two concurrent reads the result of the one that began later is kept, whichever ends first. */
  const read = async (): Promise<Loaded> => {
    const turn = ++begun
    const keys = prepare(await loadServiceKeys(needs, 'signing'))
    if (loaded && turn < applied) return loaded
    applied = turn
    return (loaded = keys)
  }
  const reloadSoon = () =>
    void read().catch((error: unknown) => needs.log.warn({ err: error }, 'The signing keys could not be read again.'))
  // Before the first read, so that no change is missed in between.
  needs.signals.on('keys-changed', reloadSoon)
  needs.signals.on('resync', reloadSoon)
  const first = await read()
  const current = (): Loaded => loaded ?? first

  return {
    reload: async () => void (await read()),
    jwks: () => current().jwks,
    sign(claims) {
      const { header, privateKey } = current()
      const content = `${header}.${encode(claims)}`
      const signature = sign('sha256', Buffer.from(content), { key: privateKey, dsaEncoding: ENCODING })
      return `${content}.${signature.toString('base64url')}`
    },
  }
}

function prepare(keys: ServiceKey[]): Loaded {
  const active = keys.findLast(({ state }) => state === 'active')
  if (!active) throw new Error('No signing key is active.')
  return {
    header: encode({ alg: 'ES256', typ: 'JWT', kid: active.id }),
    privateKey: active.privateKey,
    jwks: JSON.stringify({ keys: [active, ...keys.filter((key) => key !== active)].map(toJwk) }),
  }
}

function toJwk({ id, publicKey }: ServiceKey) {
  const { kty, crv, x, y } = createPublicKey(publicKey).export({ format: 'jwk' })
  return { kty, crv, alg: 'ES256', use: 'sig', kid: id, x, y }
}
