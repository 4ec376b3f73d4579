/** How somebody proves who they are; decides `acr` and `amr` of the ID tokens that follow. */
export const SIGN_IN_METHODS = ['password', 'passkey'] as const
export type SignInMethod = (typeof SIGN_IN_METHODS)[number]

export const isSignInMethod = (value: string | null): value is SignInMethod =>
  SIGN_IN_METHODS.some((known) => known === value)

/** With what somebody who is signed in proves once more who they are. */
export const PROOFS = ['passkey', 'password', 'second_step'] as const
export type Proof = (typeof PROOFS)[number]

/** Values of acr, the weakest first. `2` is a password with a second step; `phr` is phishing-resistant, of OpenID's Extended Authentication Profile. */
export const ACRS = ['1', '2', 'phr'] as const
export type Acr = (typeof ACRS)[number]

export const acrOf = ({ method, amr }: { method: SignInMethod; amr: readonly string[] }): Acr =>
  method === 'passkey' ? 'phr' : amr.includes('otp') ? '2' : '1'

/** The strongest sign-in that somebody is capable of who can prove who they are with these. */
export const strongestOf = (proofs: readonly Proof[]): Acr =>
  proofs.includes('passkey') ? 'phr' : proofs.includes('second_step') ? '2' : '1'

/** Whether a sign-in with the first is at least what the second demands. */
export const isEnough = (acr: string, demanded: string): boolean =>
  acr === demanded || (isAcr(demanded) && isAcr(acr) && isStronger(acr, demanded))

const isAcr = (value: string): value is Acr => ACRS.some((known) => known === value)

/** Whether the first is stronger than the second. */
export const isStronger = (one: Acr, other: Acr): boolean => ACRS.indexOf(one) > ACRS.indexOf(other)
