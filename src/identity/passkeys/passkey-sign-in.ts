import type { DeviceType } from './webauthn-checks.ts'

/**
 * How a session is marked that a passkey started. RFC 8176: hwk is a key that can't leave its hardware, swk one that can be
 * copied, user means that a user was present.
 */
export const passkeySignIn = (deviceType: DeviceType) => ({
  method: 'passkey' as const,
  amr: [deviceType === 'singleDevice' ? 'hwk' : 'swk', 'user'],
  remember: true,
})
