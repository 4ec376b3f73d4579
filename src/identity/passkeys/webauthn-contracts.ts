import { Type } from 'typebox'
import { Nullable, strict } from '../../platform/http/contracts.ts'

/** A request for options has no parameters. */
export const EmptyBody = Type.Union([Type.Object({}, strict), Type.Null()], {
  description: 'An empty object, or no body at all.',
})

const CredentialType = Type.Literal('public-key')
const UserVerification = Type.Literal('preferred')

const CredentialDescriptor = Type.Object({
  id: Type.String(),
  type: CredentialType,
  transports: Type.Array(Type.String()),
})

/** What to create a passkey for. */
export const CreationRequest = Type.Union(
  [
    Type.Object(
      {
        conditional: Type.Optional(
          Type.Boolean({
            description: 'For a passkey that the browser makes by itself after a sign-in with the password.',
          }),
        ),
      },
      strict,
    ),
    Type.Null(),
  ],
  { description: 'An object, or no body at all.' },
)

export const CreationOptions = Type.Object(
  {
    challenge: Type.String(),
    rp: Type.Object({ id: Type.String(), name: Type.String() }),
    user: Type.Object({ id: Type.String(), name: Type.String(), displayName: Type.String() }),
    pubKeyCredParams: Type.Array(Type.Object({ alg: Type.Integer(), type: CredentialType })),
    timeout: Type.Integer(),
    attestation: Type.Literal('none'),
    excludeCredentials: Type.Array(CredentialDescriptor),
    authenticatorSelection: Type.Object({
      residentKey: Type.Literal('required'),
      requireResidentKey: Type.Boolean(),
      userVerification: UserVerification,
    }),
    extensions: Type.Object({ credProps: Type.Boolean() }),
    hints: Type.Array(Type.String()),
  },
  { title: 'PublicKeyCredentialCreationOptionsJSON', description: 'WebAuthn Level 3 section 5.4.' },
)
export type CreationOptions = Type.Static<typeof CreationOptions>

export const RequestOptions = Type.Object(
  {
    challengeId: Type.String({ format: 'uuid', description: 'Send it back with the response.' }),
    challenge: Type.String(),
    rpId: Type.String(),
    timeout: Type.Integer(),
    userVerification: UserVerification,
  },
  { title: 'PublicKeyCredentialRequestOptionsJSON', description: 'WebAuthn Level 3 section 5.5, with challengeId.' },
)
export type RequestOptions = Type.Static<typeof RequestOptions>

/** The same for somebody who is signed in: the credentials are their own. */
export const ProofOptions = Type.Object(
  {
    challenge: Type.String(),
    rpId: Type.String(),
    timeout: Type.Integer(),
    userVerification: Type.Enum(['preferred', 'required'], { description: 'Required where a role demands it.' }),
    allowCredentials: Type.Array(CredentialDescriptor),
  },
  { title: 'OwnCredentialRequestOptions', description: 'WebAuthn Level 3 section 5.5.' },
)
export type ProofOptions = Type.Static<typeof ProofOptions>

/** What the page tells the browser of the passkeys of the person who is signed in. */
export const PasskeySignals = Type.Object(
  {
    rpId: Type.String(),
    userId: Type.String({ description: 'The user handle, base64url.' }),
    allAcceptedCredentialIds: Type.Array(Type.String()),
    name: Type.String(),
    displayName: Type.String(),
    mayCreate: Type.Boolean({ description: 'Whether the browser may now make a passkey by itself.' }),
  },
  { title: 'PasskeySignals', description: 'For the signal methods of WebAuthn Level 3 section 5.1.10.' },
)
export type PasskeySignals = Type.Static<typeof PasskeySignals>

/** A credential id of 1023 bytes, the longest there are. */
const CredentialId = Type.String({ minLength: 1, maxLength: 1364 })
/** The verification has narrower limits of its own. */
const Binary = Type.String({ minLength: 1, maxLength: 24_000, description: 'Base64url.' })

/**
 * The JSON of WebAuthn Level 3 section 5.1. Browsers add members as the standard grows, so here, unlike in our other
 * bodies, unknown members are allowed and ignored.
 */
const credentialOf = <Response extends Type.TSchema>(title: string, response: Response) =>
  Type.Object(
    {
      id: CredentialId,
      rawId: CredentialId,
      type: Type.String({ maxLength: 64 }),
      response,
      authenticatorAttachment: Type.Optional(Nullable(Type.String({ maxLength: 64 }))),
      clientExtensionResults: Type.Optional(Type.Object({})),
    },
    { title },
  )

export const RegistrationResponse = credentialOf(
  'RegistrationResponseJSON',
  Type.Object({
    clientDataJSON: Binary,
    attestationObject: Binary,
    transports: Type.Optional(Type.Array(Type.String({ maxLength: 64 }), { maxItems: 32 })),
  }),
)
export type RegistrationResponse = Type.Static<typeof RegistrationResponse>

export const AssertionResponse = credentialOf(
  'AuthenticationResponseJSON',
  Type.Object({
    clientDataJSON: Binary,
    authenticatorData: Binary,
    signature: Binary,
    userHandle: Type.Optional(Nullable(Type.String({ maxLength: 128 }))),
  }),
)
export type AssertionResponse = Type.Static<typeof AssertionResponse>
