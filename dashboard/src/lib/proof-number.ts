/** The number of a proof of leaving, which is a JWS (RFC 7515). It names the file: the server has signed and checked it. */
export function proofNumber(proof: string): number {
  const payload = proof.split('.')[1] ?? ''
  const { number } = JSON.parse(atob(payload.replaceAll('-', '+').replaceAll('_', '/'))) as { number: number }
  return number
}
