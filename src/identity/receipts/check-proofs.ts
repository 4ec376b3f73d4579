import { createPublicKey, type JsonWebKeyInput, verify } from 'node:crypto'
import { LEAVING_PROOF } from '../../platform/keys/signing-keys.ts'
import { digestOfProof, type LeavingStatement } from './leaving-proof.ts'

type JsonWebKey = JsonWebKeyInput['key']

/** The document that has the keys of proofs, and the issuer where it says so. */
export interface ProofKeys {
  issuer?: string
  keys: (JsonWebKey & { kid?: unknown; retiredAt?: number })[]
}

/** A proof as it was given, with what it is called in messages. */
export interface GivenProof {
  name: string
  text: string
}

export interface CheckedProof extends LeavingStatement {
  name: string
  digest: string
  iss: string
  iat: number
  number: number
  previous: string | null
  /** There from the first proof after a restore: the proof before that. */
  restoredFrom?: string | null
}

/** Why proofs are not what they claim to be. */
export class ProofRefused extends Error {}

/**
 * Checks the signatures of proofs, and that they are an unbroken part of one chain. Returns them in the order of the chain, however
 * they were given. The same proof twice counts once.
 */
export function checkProofs(given: GivenProof[], keys: ProofKeys): CheckedProof[] {
  const proofs = given.map((each) => checkSignature(each, keys))
  const different = [...new Map(proofs.map((proof) => [proof.digest, proof])).values()]
  refuseOtherIssuers(different, keys.issuer)
  return putInOrder(different)
}

const COMPACT = /^([\w-]+)\.([\w-]+)\.([\w-]+)$/
/** Clocks of replicas may differ by that: one may sign a moment after another has withdrawn the key. */
const CLOCK_SKEW_MS = 60_000

function checkSignature({ name, text }: GivenProof, { keys }: ProofKeys): CheckedProof {
  const refuse = (why: string): never => {
    throw new ProofRefused(`${name} ${why}`)
  }
  const [, head = '', body = '', signature = ''] = COMPACT.exec(text) ?? refuse('is not a proof.')
  const { alg, typ, kid, crit } = (readJson(head) ?? refuse('is not a proof.')) as Record<string, unknown>
  if (alg !== 'ES256' || typ !== LEAVING_PROOF || crit !== undefined) refuse('is a token of another kind, not a proof.')
  const key =
    keys.find((each) => each.kid === kid) ?? refuse(`is signed by a key that is not among the keys: ${String(kid)}.`)
  if (!isSigned(key, `${head}.${body}`, signature))
    refuse('has a signature that does not fit: it was altered, or another installation has signed it.')
  const claims = readJson(body) as CheckedProof & { partial?: boolean }
  if (claims.partial === true) refuse('says what was known before everybody was told: it is not a proof.')
  const { iat, number, previous, restoredFrom, person, told } = claims
  if (typeof person?.email !== 'string' || !Array.isArray(told)) refuse('is incomplete.')
  if (!Number.isSafeInteger(iat) || !Number.isSafeInteger(number) || number < 1) refuse('is incomplete.')
  if (previous === null ? number !== 1 : number === 1 || restoredFrom !== undefined) refuse('contradicts itself.')
  if (key.retiredAt !== undefined && iat * 1000 > key.retiredAt + CLOCK_SKEW_MS)
    refuse('was signed after its key had been withdrawn.')
  return { ...claims, name, digest: digestOfProof(text) }
}

function isSigned(jwk: JsonWebKey, content: string, signature: string): boolean {
  const bytes = Buffer.from(signature, 'base64url')
  // Another spelling of the same bytes would be another link of the chain.
  if (jwk.kty !== 'EC' || jwk.crv !== 'P-256' || bytes.toString('base64url') !== signature) return false
  try {
    const key = createPublicKey({ key: jwk, format: 'jwk' })
    return verify('sha256', Buffer.from(content), { key, dsaEncoding: 'ieee-p1363' }, bytes)
  } catch {
    return false
  }
}

function readJson(part: string): unknown {
  try {
    const value: unknown = JSON.parse(Buffer.from(part, 'base64url').toString())
    return typeof value === 'object' && value !== null ? value : undefined
  } catch {
    return undefined
  }
}

function refuseOtherIssuers(proofs: CheckedProof[], expected = proofs[0]?.iss): void {
  const other = proofs.find(({ iss }) => iss !== expected)
  if (other) throw new ProofRefused(`${other.name} is of another installation: ${other.iss}, not ${expected}.`)
}

/** The digest of the proof before, also across a restore; null for the first of all. */
const parentOf = ({ previous, restoredFrom = null }: CheckedProof): string | null => previous ?? restoredFrom

function putInOrder(proofs: CheckedProof[]): CheckedProof[] {
  const byDigest = new Map(proofs.map((proof) => [proof.digest, proof]))
  const after = new Map<string | null, CheckedProof>()
  const first: CheckedProof[] = []
  for (const proof of proofs.toSorted((a, b) => a.iat - b.iat || a.number - b.number)) {
    const parent = parentOf(proof)
    const rival = after.get(parent)
    if (rival) throw new ProofRefused(describeFork(rival, proof, byDigest.get(parent ?? '')))
    after.set(parent, proof)
    if (parent === null || !byDigest.has(parent)) first.push(proof)
  }
  const [start, other] = first
  if (other)
    throw new ProofRefused(
      `Proofs are missing: nothing that was given comes before ${other.name} (number ${other.number}).`,
    )
  const ordered: CheckedProof[] = []
  for (let next = start; next; next = after.get(next.digest)) {
    const last = ordered.at(-1)
    if (last && next.previous !== null && next.number !== last.number + 1)
      throw new ProofRefused(`${next.name} is number ${next.number}, behind number ${last.number}.`)
    ordered.push(next)
  }
  return ordered
}

function describeFork(a: CheckedProof, b: CheckedProof, parent: CheckedProof | undefined): string {
  const where = parent ? `both come behind ${parent.name} (number ${parent.number})` : 'both come behind the same proof'
  const both = `${a.name} and ${b.name} ${parentOf(a) === null ? 'are both the first' : where}: the chain is forked`
  const isRestore = [a, b].some(({ restoredFrom }) => restoredFrom !== undefined)
  return isRestore
    ? `${both} by a restore. Check what was made before it, and what after it, each by itself.`
    : `${both}.`
}
