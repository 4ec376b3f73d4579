/** Every server of a run knows the same application and the same people. */
export interface Fixture {
  clientId: string
  clientSecret: string
  redirectUri: string
  /** Administrators, each with a session and a saved SSH key. */
  people: Person[]
  /** Somebody to disable and enable. */
  victimId: string
  /** Certificates that can be revoked, beside those that are revoked already. */
  certificateIds: string[]
}

export interface Person {
  id: string
  session: string
  sshKeyId: string
}

export const ISSUER = 'http://localhost:3000'
export const SECRET_KEY = 'a-secret-key-for-benchmarks-of-enough-length'
export const SCOPES = ['openid', 'profile', 'email', 'offline_access', 'reports']
/** A user may have 20 streams, and there are to be 1,000. */
export const PEOPLE = 50
