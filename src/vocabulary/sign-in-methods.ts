/** How somebody proves who they are; decides `acr` and `amr` of the ID tokens that follow. */
export const SIGN_IN_METHODS = ['password', 'passkey'] as const
export type SignInMethod = (typeof SIGN_IN_METHODS)[number]
