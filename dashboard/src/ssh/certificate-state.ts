import type { Certificate } from '../api/shapes.ts'

/** The validity of a certificate is told in epoch seconds, as OpenSSH does. */
export function certificateState({ revokedAt, validBefore }: Certificate): 'valid' | 'expired' | 'revoked' {
  if (revokedAt !== null) return 'revoked'
  return validBefore * 1000 < Date.now() ? 'expired' : 'valid'
}

export const stateColors = { valid: 'pine', expired: 'gray', revoked: 'red' }
