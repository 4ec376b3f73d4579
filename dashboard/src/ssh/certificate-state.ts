import type { Certificate } from '../api/shapes.ts'

type Validity = Pick<Certificate, 'revokedAt' | 'validBefore'>

/** The end of validity is given in epoch seconds. From that second on OpenSSH refuses the certificate. */
export function certificateState(certificate: Validity, now = Date.now()): 'valid' | 'expired' | 'revoked' {
  if (certificate.revokedAt !== null) return 'revoked'
  return certificate.validBefore * 1000 <= now ? 'expired' : 'valid'
}

export const stateColors = { valid: 'pine', expired: 'gray', revoked: 'red' }
