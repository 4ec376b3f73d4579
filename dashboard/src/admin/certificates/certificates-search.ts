export const STATES = ['valid', 'expired', 'revoked'] as const

export type CertificatesSearch = { q?: string; state?: (typeof STATES)[number] }

/** The filter of the log, as it is in the address. A serial comes out of it as a number. */
export function readCertificatesSearch({ q, state }: Record<string, unknown>): CertificatesSearch {
  const known = STATES.find((each) => each === state)
  return {
    ...((typeof q === 'string' && q !== '') || typeof q === 'number' ? { q: String(q) } : {}),
    ...(known ? { state: known } : {}),
  }
}
