import { Type } from 'typebox'
import { atField } from '../../errors.ts'
import { AttributeName, AttributeValue } from '../../identity/roles/attributes.ts'
import { strict } from '../../platform/http/contracts.ts'
import { claimErrors } from './claim-errors.ts'

/** Where an application is told a claim. */
export const CLAIM_PLACES = ['id_token', 'userinfo', 'introspection'] as const
export type ClaimPlace = (typeof CLAIM_PLACES)[number]

const common = {
  name: Type.String({ pattern: '^[A-Za-z0-9_.:/-]{1,128}$' }),
  in: Type.Array(Type.Enum([...CLAIM_PLACES]), { minItems: 1, maxItems: 3, uniqueItems: true }),
}
const RoleId = Type.String({ minLength: 1, maxLength: 64 })

/** A claim that an application gets besides those of its scopes, with one source for its value. */
export const ClaimMapping = Type.Union(
  [
    Type.Object({ ...common, value: AttributeValue }, strict),
    Type.Object({ ...common, from: Type.Literal('roles') }, strict),
    Type.Object({ ...common, from: Type.Literal('attribute'), attribute: AttributeName }, strict),
    Type.Object(
      {
        ...common,
        whenRole: Type.Object({ roleId: RoleId, then: AttributeValue, else: Type.Optional(AttributeValue) }, strict),
      },
      strict,
    ),
  ],
  { title: 'ClaimMapping' },
)
export type ClaimMapping = Type.Static<typeof ClaimMapping>

export const ClaimMappings = Type.Array(ClaimMapping, { maxItems: 50 })

/** Claims that say who issued what to whom, or that others rely on: no mapping may replace them. */
const PROTECTED: ReadonlySet<string> = new Set(
  (
    'iss sub aud exp iat nbf jti nonce auth_time acr amr azp sid session_expiry at_hash c_hash email email_verified ' +
    'active scope client_id username token_type cnf act _claim_names _claim_sources'
  ).split(' '),
)

/** Whether a mapping has an effect: it may have been stored before its name was protected. */
export const isEffective = ({ name }: ClaimMapping): boolean => !PROTECTED.has(name)

const MAX_BYTES = 16 * 1024

export function checkMappings(mappings: readonly ClaimMapping[]): void {
  const seen = new Set<string>()
  mappings.forEach(({ name }, at) => {
    if (PROTECTED.has(name)) throw atField(`claims/${at}/name`, claimErrors.claim_protected({ claim: name }))
    if (seen.has(name)) throw atField(`claims/${at}/name`, claimErrors.claim_mapped_twice({ claim: name }))
    seen.add(name)
  })
  const packed = JSON.stringify(mappings)
  if (Buffer.byteLength(packed) > MAX_BYTES)
    throw atField('claims', claimErrors.claims_too_large({ max: MAX_BYTES / 1024 }))
  if (packed.includes(String.raw`\u0000`)) throw atField('claims', claimErrors.claim_holds_nul())
}

/** The roles that mappings ask about, and where each is named. */
export const rolesOfMappings = (mappings: readonly ClaimMapping[]): { path: string; roleId: string }[] =>
  mappings.flatMap((mapping, at) =>
    'whenRole' in mapping ? [{ path: `claims/${at}/whenRole/roleId`, roleId: mapping.whenRole.roleId }] : [],
  )
