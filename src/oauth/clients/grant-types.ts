/** RFC 8628 section 3.4. */
export const DEVICE_CODE = 'urn:ietf:params:oauth:grant-type:device_code'

interface GrantRules {
  /** Clients that name no grant types get it, if they may have it. */
  isDefault: boolean
  /** The client acts for itself, with a secret of its own. */
  needsSecret: boolean
  /** A person signs in with it, and refresh tokens may be issued. */
  signsIn: boolean
}

/**
 * The grant types of the token endpoint, in the order of the server metadata. The client settings, the metadata and the dashboard follow
 * this table; `tokens/token-request.ts` has the exchange of each.
 */
const RULES = {
  authorization_code: { isDefault: true, needsSecret: false, signsIn: true },
  refresh_token: { isDefault: true, needsSecret: false, signsIn: false },
  client_credentials: { isDefault: true, needsSecret: true, signsIn: false },
  [DEVICE_CODE]: { isDefault: false, needsSecret: false, signsIn: true },
} as const satisfies Record<string, GrantRules>

export type GrantType = keyof typeof RULES
export const GRANT_TYPES = Object.keys(RULES) as GrantType[]

export const isDefaultGrant = (type: GrantType): boolean => RULES[type].isDefault
export const needsSecret = (type: GrantType): boolean => RULES[type].needsSecret
export const SIGN_IN_GRANTS = GRANT_TYPES.filter((type) => RULES[type].signsIn)
