/** How somebody proves who they are; decides `acr` and `amr` of the ID tokens that follow. */
export const SIGN_IN_METHODS = ['password', 'passkey'] as const
export type SignInMethod = (typeof SIGN_IN_METHODS)[number]

/** With what somebody who is signed in proves once more who they are. */
export const PROOFS = ['passkey', 'password', 'second_step'] as const
export type Proof = (typeof PROOFS)[number]

/** Values of acr, the weakest first. `2` is a password with a second step; `phr` is phishing-resistant, of OpenID's Extended Authentication Profile. */
const ACRS = ['1', '2', 'phr'] as const
export type Acr = (typeof ACRS)[number]

export const acrOf = ({ method, amr }: { method: SignInMethod; amr: readonly string[] }): Acr =>
  method === 'passkey' ? 'phr' : amr.includes('otp') ? '2' : '1'

/** Whether a sign-in with the first is at least what the second demands. */
export const isEnough = (acr: Acr, demanded: string): boolean =>
  acr === demanded || (ACRS.some((known) => known === demanded) && isStronger(acr, demanded as Acr))

/** Whether the first is stronger than the second. */
export const isStronger = (one: Acr, other: Acr): boolean => ACRS.indexOf(one) > ACRS.indexOf(other)
