import type { Config } from '../../platform/config/config.ts'
import type { Expectation } from './webauthn-checks.ts'

/** How long a challenge is valid; browsers get it as the timeout of the ceremony. */
export const CHALLENGE_MS = 300_000
export const CHALLENGE_BYTES = 32

/** What a response must match: the challenge, the dashboard's origin and the relying party. */
export const expectationOf = (
  { dashboardOrigin, rpId }: Pick<Config, 'dashboardOrigin' | 'rpId'>,
  challenge: string,
): Expectation => ({ challenge, origin: dashboardOrigin, rpId })

/** The id of the account is the user handle: random, no personal data (WebAuthn Level 3 §14.6.1), and below 64 bytes. */
export const userHandleOf = (userId: string): Uint8Array<ArrayBuffer> => new Uint8Array(Buffer.from(userId))
