import { randomBytes } from 'node:crypto'
import type {
  AuthenticationResponseJSON,
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
  RegistrationResponseJSON,
} from '@simplewebauthn/server'
import { COSE_ALGORITHM, createAuthenticatorKey, type Algorithm } from './authenticator-key.ts'
import {
  attestationOf,
  authenticatorDataOf,
  clientDataOf,
  signatureOf,
  type Credential,
  type Overrides,
  type AuthenticatorModel,
} from './authenticator-response.ts'
import { encodeCbor } from './cbor.ts'

export type Authenticator = ReturnType<typeof createAuthenticator>

/** A software authenticator and browser: responds to the options of both ceremonies, correctly or with overrides. */
export function createAuthenticator(model: AuthenticatorModel) {
  const credentials: Credential[] = []
  const find = (ids: { id: string }[] = []) =>
    credentials.filter(({ id }) => ids.some((one) => one.id === base64url(id)))

  function register(
    options: PublicKeyCredentialCreationOptionsJSON,
    overrides: Overrides = {},
  ): RegistrationResponseJSON {
    if (find(options.excludeCredentials).length > 0 && !overrides.ignoreExclusions) throw new Error('InvalidStateError')
    const algorithm = overrides.algorithm ?? chooseAlgorithm(options, model.algorithm)
    const credential: Credential = {
      id: Buffer.from(overrides.credentialId ?? randomBytes(32)),
      rpId: options.rp.id ?? new URL(model.origin).hostname,
      userHandle: options.user.id,
      algorithm,
      key: createAuthenticatorKey(algorithm),
      counter: model.counter ?? 0,
    }
    credentials.push(credential)
    const clientData = clientDataOf('webauthn.create', options.challenge, model, overrides)
    const authData = authenticatorDataOf(credential, model, { attested: true, ...overrides })
    const attestation = overrides.attestationObject ?? attestationOf(credential, authData, clientData, overrides)
    const answer: RegistrationResponseJSON = {
      ...credentialFields(credential),
      response: {
        clientDataJSON: base64url(clientData),
        attestationObject: base64url(
          Buffer.concat([encodeCbor(attestation), overrides.attestationTrailing ?? Buffer.alloc(0)]),
        ),
        transports: model.transports ?? ['internal'],
      },
    }
    if (overrides.transports !== undefined) Object.assign(answer.response, { transports: overrides.transports })
    return Object.assign(answer, credentialOverrides(overrides))
  }

  function authenticate(
    options: PublicKeyCredentialRequestOptionsJSON,
    overrides: Overrides = {},
  ): AuthenticationResponseJSON {
    const allowed = options.allowCredentials?.length ? find(options.allowCredentials) : credentials
    const credential = allowed.findLast(({ rpId }) => options.rpId === undefined || rpId === options.rpId)
    if (!credential) throw new Error('NotAllowedError')
    if (model.counts !== false) credential.counter += 1
    const clientData = clientDataOf('webauthn.get', options.challenge, model, overrides)
    const authData = authenticatorDataOf(credential, model, overrides)
    const userHandle = overrides.userHandle === undefined ? credential.userHandle : overrides.userHandle
    const answer: AuthenticationResponseJSON = {
      ...credentialFields(credential),
      response: {
        clientDataJSON: base64url(clientData),
        authenticatorData: base64url(authData),
        signature: base64url(signatureOf(credential, authData, clientData, overrides)),
        ...(userHandle === null ? {} : { userHandle }),
      },
    }
    return Object.assign(answer, credentialOverrides(overrides))
  }

  return { register, authenticate }
}

function chooseAlgorithm(options: PublicKeyCredentialCreationOptionsJSON, preferred?: Algorithm): Algorithm {
  const known: Algorithm[] = preferred ? [preferred] : ['ES256', 'EdDSA', 'RS256']
  const offered = options.pubKeyCredParams.flatMap(
    ({ alg }) => known.find((name) => COSE_ALGORITHM[name] === alg) ?? [],
  )
  if (!offered[0]) throw new Error('NotSupportedError')
  return offered[0]
}

const credentialFields = ({ id }: Credential) => ({
  id: base64url(id),
  rawId: base64url(id),
  type: 'public-key' as const,
  clientExtensionResults: {},
})

const credentialOverrides = ({ id, rawId, credentialType }: Overrides) => ({
  ...(id === undefined ? {} : { id, rawId: id }),
  ...(rawId === undefined ? {} : { rawId }),
  ...(credentialType === undefined ? {} : { type: credentialType }),
})

const base64url = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64url')
