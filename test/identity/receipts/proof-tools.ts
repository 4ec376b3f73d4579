import { createHash } from 'node:crypto'
import { checkProofs, type GivenProof, type ProofKeys } from '../../../src/identity/receipts/check-proofs.ts'
import type { TestApp } from '../../support/app.ts'
import { claimsOf } from '../../support/application.ts'
import { anonymous, type Person, signedInPerson } from '../../support/people.ts'
import { disable, proofOf } from './receivers.ts'

export const readKeys = async (app: TestApp): Promise<ProofKeys> =>
  (await anonymous(app).get('/.well-known/latchkey-proof-keys.json')).json<ProofKeys>()

/** Disables somebody whom nobody has to be told of, and returns the proof. */
export async function makeProof(app: TestApp, admin: Person): Promise<string> {
  const { user } = await signedInPerson(app)
  const { lifecycleActionId } = await disable(admin, user.id)
  return proofOf(admin, user.id, lifecycleActionId)
}

export async function makeProofs(app: TestApp, admin: Person, count: number): Promise<string[]> {
  const proofs: string[] = []
  for (let made = 0; made < count; made++) proofs.push(await makeProof(app, admin))
  return proofs
}

export const named = (proofs: string[]): GivenProof[] => proofs.map((text, at) => ({ name: `proof ${at + 1}`, text }))
export const digestOf = (proof: string): string => createHash('sha256').update(proof).digest('hex')
export const numbersOf = (proofs: GivenProof[], keys: ProofKeys) =>
  checkProofs(proofs, keys).map(({ number }) => number)

export const decode = (part: string | undefined): Record<string, unknown> =>
  JSON.parse(Buffer.from(part ?? '', 'base64url').toString()) as Record<string, unknown>
const encode = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url')

/** The same proof with other claims or another header, and the signature that it had. */
export function altered(proof: string, claims: object, header: object = {}): string {
  const [head, body, signature = ''] = proof.split('.')
  return [encode({ ...decode(head), ...header }), encode({ ...decode(body), ...claims }), signature].join('.')
}

/** Signed by the key that the service has, as whoever has stolen that could. */
export function forged(
  app: TestApp,
  proof: string,
  claims: object,
  type: 'JWT' | 'latchkey-leaving+jwt' = 'latchkey-leaving+jwt',
) {
  return app.services.signingKeys.sign({ ...claimsOf(proof), ...claims }, 'ES256', type)
}
