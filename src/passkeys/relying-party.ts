import type { Config } from '../config/config.ts'
import type { Expectation } from './webauthn-checks.ts'

/** How long a ceremony may take: browsers are told the same time that its challenge lives. */
export const CHALLENGE_MS = 300_000
export const CHALLENGE_BYTES = 32

/** What the answer to a challenge of ours must be about: this dashboard, this relying party, this challenge. */
export const expectationOf = (
  { dashboardOrigin, rpId }: Pick<Config, 'dashboardOrigin' | 'rpId'>,
  challenge: string,
): Expectation => ({ challenge, origin: dashboardOrigin, rpId })

/** The id of the account is the user handle: random, no personal data (WebAuthn Level 3 §14.6.1), and below 64 bytes. */
export const userHandleOf = (userId: string): Uint8Array<ArrayBuffer> => new Uint8Array(Buffer.from(userId))
