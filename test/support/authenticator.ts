import { randomBytes } from 'node:crypto'
import type {
  AuthenticationResponseJSON,
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
  RegistrationResponseJSON,
} from '@simplewebauthn/server'
import {
  attestationOf,
  authenticatorDataOf,
  clientDataOf,
  signatureOf,
  type Credential,
  type Lies,
  type Nature,
} from './authenticator-answer.ts'
import { COSE_ALGORITHM, createAuthenticatorKey, type Algorithm } from './authenticator-key.ts'
import { encodeCbor } from './cbor.ts'

export type Authenticator = ReturnType<typeof createAuthenticator>

/** A software authenticator with a browser around it: it answers the options of both ceremonies, truthfully or not. */
export function createAuthenticator(nature: Nature) {
  const credentials: Credential[] = []
  const find = (ids: { id: string }[] = []) =>
    credentials.filter(({ id }) => ids.some((one) => one.id === base64url(id)))

  function register(options: PublicKeyCredentialCreationOptionsJSON, lies: Lies = {}): RegistrationResponseJSON {
    if (find(options.excludeCredentials).length > 0 && !lies.ignoreExclusions) throw new Error('InvalidStateError')
    const algorithm = lies.algorithm ?? choose(options, nature.algorithm)
    const credential: Credential = {
      id: Buffer.from(lies.credentialId ?? randomBytes(32)),
      rpId: options.rp.id ?? new URL(nature.origin).hostname,
      userHandle: options.user.id,
      algorithm,
      key: createAuthenticatorKey(algorithm),
      counter: nature.counter ?? 0,
    }
    credentials.push(credential)
    const clientData = clientDataOf('webauthn.create', options.challenge, nature, lies)
    const authData = authenticatorDataOf(credential, nature, { attested: true, ...lies })
    const attestation = lies.attestationObject ?? attestationOf(credential, authData, clientData, lies)
    const answer: RegistrationResponseJSON = {
      ...outerOf(credential),
      response: {
        clientDataJSON: base64url(clientData),
        attestationObject: base64url(
          Buffer.concat([encodeCbor(attestation), lies.attestationTrailing ?? Buffer.alloc(0)]),
        ),
        transports: nature.transports ?? ['internal'],
      },
    }
    if (lies.transports !== undefined) Object.assign(answer.response, { transports: lies.transports })
    return Object.assign(answer, outerLiesOf(lies))
  }

  function authenticate(options: PublicKeyCredentialRequestOptionsJSON, lies: Lies = {}): AuthenticationResponseJSON {
    const allowed = options.allowCredentials?.length ? find(options.allowCredentials) : credentials
    const credential = allowed.findLast(({ rpId }) => options.rpId === undefined || rpId === options.rpId)
    if (!credential) throw new Error('NotAllowedError')
    if (nature.counts !== false) credential.counter += 1
    const clientData = clientDataOf('webauthn.get', options.challenge, nature, lies)
    const authData = authenticatorDataOf(credential, nature, lies)
    const userHandle = lies.userHandle === undefined ? credential.userHandle : lies.userHandle
    const answer: AuthenticationResponseJSON = {
      ...outerOf(credential),
      response: {
        clientDataJSON: base64url(clientData),
        authenticatorData: base64url(authData),
        signature: base64url(signatureOf(credential, authData, clientData, lies)),
        ...(userHandle === null ? {} : { userHandle }),
      },
    }
    return Object.assign(answer, outerLiesOf(lies))
  }

  return { register, authenticate }
}

function choose(options: PublicKeyCredentialCreationOptionsJSON, preferred?: Algorithm): Algorithm {
  const known: Algorithm[] = preferred ? [preferred] : ['ES256', 'EdDSA', 'RS256']
  const offered = options.pubKeyCredParams.flatMap(
    ({ alg }) => known.find((name) => COSE_ALGORITHM[name] === alg) ?? [],
  )
  if (!offered[0]) throw new Error('NotSupportedError')
  return offered[0]
}

const outerOf = ({ id }: Credential) => ({
  id: base64url(id),
  rawId: base64url(id),
  type: 'public-key' as const,
  clientExtensionResults: {},
})

const outerLiesOf = ({ id, rawId, credentialType }: Lies) => ({
  ...(id === undefined ? {} : { id, rawId: id }),
  ...(rawId === undefined ? {} : { rawId }),
  ...(credentialType === undefined ? {} : { type: credentialType }),
})

const base64url = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64url')
