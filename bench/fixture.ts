/** The application and the people that every server of a run knows. */
export interface Fixture {
  clientId: string
  clientSecret: string
  redirectUri: string
  /** Administrators, each with a session and a saved SSH key. */
  people: Person[]
  /** The user that is disabled and enabled. */
  victimId: string
  /** Certificates that are not revoked yet. */
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
/** A user may have 20 streams, and 1,000 are needed. */
export const PEOPLE = 50
