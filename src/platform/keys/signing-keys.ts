import { createPublicKey, sign, generateKeyPair, type KeyObject } from 'node:crypto'
import { promisify } from 'node:util'
import type { Logger } from 'pino'
import type { Database, Trx } from '../../storage/database.ts'
import type { Signals } from '../../storage/signals.ts'
import type { Vault } from '../crypto/vault.ts'
import { openCurrentKeys } from './current-keys.ts'
import { listKeys, lockKeys, markRsaAskedFor, wasRsaAskedFor } from './service-key-store.ts'
import { loadServiceKeys, readServiceKeys, announceKey, storeServiceKey, type ServiceKey } from './service-keys.ts'

/** The keys that sign ID tokens: one is active; the earlier ones and the next one are published beside it. */
export interface SigningKeys {
  /** A compact JWS over the claims, by the active key for this algorithm. */
  sign(claims: Record<string, unknown>, alg?: SigningAlgorithm, type?: TokenType): string
  /**
   * The same with RS256, on another thread: a signature takes two milliseconds, and many are made at once when many applications are told.
   * Another replica may have made the first RSA key a moment ago, so the keys are read again if there is none.
   */
  signWithRsa(claims: Record<string, unknown>, type: TokenType): Promise<string>
  /** The algorithms that there is a key for. */
  algorithms(): readonly SigningAlgorithm[]
  /** Those that a client may have asked for to sign its ID tokens: the RSA key also signs other tokens, and may be there for these alone. */
  idTokenAlgorithms(): readonly SigningAlgorithm[]
  /** RFC 7517, as text. */
  jwks(): string
  /** Reads the keys again. */
  reload(): Promise<void>
  close(): Promise<void>
}

export type SigningAlgorithm = 'ES256' | 'RS256'

/** What a token is for, so that one kind is never taken for another (RFC 8725 section 3.11). */
export const PROXY_TOKEN = 'latchkey-proxy+jwt'
export const LEAVING_PROOF = 'latchkey-leaving+jwt'
/** OpenID Connect Back-Channel Logout 1.0 section 2.4. */
export const LOGOUT_TOKEN = 'logout+jwt'
/** RFC 8417 section 2.3. */
export const SECURITY_EVENT_TOKEN = 'secevent+jwt'
const TOKEN_TYPES = ['JWT', PROXY_TOKEN, LEAVING_PROOF, LOGOUT_TOKEN, SECURITY_EVENT_TOKEN] as const
export type TokenType = (typeof TOKEN_TYPES)[number]

interface SigningServices {
  db: Database
  now: () => number
  vault: Vault
  signals: Signals
  log: Logger
}

interface Signer {
  headers: Record<TokenType, string>
  privateKey: KeyObject
}

interface Loaded {
  signers: Partial<Record<SigningAlgorithm, Signer>>
  signsIdTokensWithRsa: boolean
  jwks: string
}

/** RFC 7518 section 3.4: the two integers side by side, not in DER. */
const ENCODING = 'ieee-p1363'

const signAside = promisify(sign)

const encode = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url')

export async function openSigningKeys(needs: SigningServices): Promise<SigningKeys> {
  const read = async (): Promise<Loaded> => {
    const [ec, rsa, signsIdTokensWithRsa] = await Promise.all([
      loadServiceKeys(needs, 'signing'),
      readServiceKeys(needs, 'signing-rsa'),
      wasRsaAskedFor(needs.db.read),
    ])
    return { ...prepare(ec, rsa), signsIdTokensWithRsa }
  }
  const { current, reload, close } = await openCurrentKeys(needs, read)
  const signerFor = (alg: SigningAlgorithm): Signer => {
    const signer = current().signers[alg]
    if (!signer) throw new Error(`There is no key for ${alg}.`)
    return signer
  }

  return {
    reload,
    close,
    jwks: () => current().jwks,
    algorithms: () => Object.keys(current().signers) as SigningAlgorithm[],
    idTokenAlgorithms: () => (current().signsIdTokensWithRsa ? ['ES256', 'RS256'] : ['ES256']),
    async signWithRsa(claims, type) {
      if (!current().signers.RS256) await reload()
      const { headers, privateKey } = signerFor('RS256')
      const content = `${headers[type]}.${encode(claims)}`
      return `${content}.${(await signAside('sha256', Buffer.from(content), privateKey)).toString('base64url')}`
    },
    sign(claims, alg = 'ES256', type = 'JWT') {
      const signer = signerFor(alg)
      const content = `${signer.headers[type]}.${encode(claims)}`
      // The encoding matters to elliptic curves only.
      const signature = sign('sha256', Buffer.from(content), { key: signer.privateKey, dsaEncoding: ENCODING })
      return `${content}.${signature.toString('base64url')}`
    },
  }
}

function prepare(ec: ServiceKey[], rsa: ServiceKey[]): Omit<Loaded, 'signsIdTokensWithRsa'> {
  return {
    signers: { ES256: toSigner('ES256', ec), ...(rsa.length === 0 ? {} : { RS256: toSigner('RS256', rsa) }) },
    // The active key first, and all for ES256 before those for RS256.
    jwks: JSON.stringify({ keys: [...activeFirst(ec).map(toEcJwk), ...activeFirst(rsa).map(toRsaJwk)] }),
  }
}

const findActive = (keys: ServiceKey[]): ServiceKey | undefined => keys.findLast(({ state }) => state === 'active')

function toSigner(alg: SigningAlgorithm, keys: ServiceKey[]): Signer {
  const active = findActive(keys)
  if (!active) throw new Error('No signing key is active.')
  const headers = Object.fromEntries(TOKEN_TYPES.map((typ) => [typ, encode({ alg, typ, kid: active.id })]))
  return { headers: headers as Record<TokenType, string>, privateKey: active.privateKey }
}

function activeFirst(keys: ServiceKey[]): ServiceKey[] {
  const active = findActive(keys)
  return active ? [active, ...keys.filter((key) => key !== active)] : keys
}

export function toEcJwk({ id, publicKey }: Pick<ServiceKey, 'id' | 'publicKey'>) {
  const { kty, crv, x, y } = createPublicKey(publicKey).export({ format: 'jwk' })
  return { kty, crv, alg: 'ES256', use: 'sig', kid: id, x, y }
}

function toRsaJwk({ id, publicKey }: ServiceKey) {
  const { kty, n, e } = createPublicKey(publicKey).export({ format: 'jwk' })
  return { kty, alg: 'RS256', use: 'sig', kid: id, n, e }
}

const MODULUS_BITS = 3072
const FIRST_RSA_KEY = 'service-id-rsa-1'

/** Takes a second of processor time, on another thread. */
export const makeRsaKey = () => promisify(generateKeyPair)('rsa', { modulusLength: MODULUS_BITS })

/** What the RSA key is needed for. */
type RsaUse = 'id_tokens' | 'security_events'

/**
 * Makes the RSA key when it is needed for the first time: by a client whose ID tokens are signed with RS256, or by the first stream of
 * security events. It takes too long for a transaction, so it is made before, and stored together with the change that needs it. Undefined
 * when there is nothing to store.
 */
export async function prepareRsaKey(
  services: Omit<SigningServices, 'log'>,
  use: RsaUse | undefined,
): Promise<{ store(trx: Trx): Promise<void> } | undefined> {
  if (use === undefined) return undefined
  const isThere = (await listKeys(services.db.read, 'signing-rsa')).length > 0
  const isNewUse = use === 'id_tokens' && !(await wasRsaAskedFor(services.db.read))
  if (isThere && !isNewUse) return undefined
  const pair = isThere ? undefined : await makeRsaKey()
  return {
    async store(trx) {
      await lockKeys(trx)
      if (pair && (await listKeys(trx, 'signing-rsa')).length === 0) {
        await storeServiceKey(services, trx, { purpose: 'signing-rsa', id: FIRST_RSA_KEY, state: 'active' }, pair)
        await announceKey(services, trx, 'published', FIRST_RSA_KEY)
      }
      if (!isNewUse) return
      await markRsaAskedFor(trx)
      await services.signals.emit(trx, 'keys-changed', null)
    },
  }
}
