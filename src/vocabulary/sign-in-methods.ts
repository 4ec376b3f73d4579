/** How somebody proves who they are; decides `acr` and `amr` of the ID tokens that follow. */
export const SIGN_IN_METHODS = ['password', 'passkey'] as const
export type SignInMethod = (typeof SIGN_IN_METHODS)[number]

/** With what somebody who is signed in proves once more who they are. */
export const PROOFS = ['passkey', 'password', 'second_step'] as const
export type Proof = (typeof PROOFS)[number]

/** Values of acr, the weakest first. `phr` is phishing-resistant, of OpenID's Extended Authentication Profile. */
const ACRS = ['1', 'phr'] as const
export type Acr = (typeof ACRS)[number]

export const acrOf = ({ method }: { method: SignInMethod }): Acr => (method === 'passkey' ? 'phr' : '1')

/** Whether the first is stronger than the second. */
export const isStronger = (one: Acr, other: Acr): boolean => ACRS.indexOf(one) > ACRS.indexOf(other)
