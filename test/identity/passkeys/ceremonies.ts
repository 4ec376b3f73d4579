import assert from 'node:assert/strict'
import type { PublicKeyCredentialCreationOptionsJSON } from '@simplewebauthn/server'
import type { Response } from 'light-my-request'
import type { Passkey } from '../../../src/identity/passkeys/passkey-store.ts'
import type { RequestOptions } from '../../../src/identity/passkeys/webauthn-contracts.ts'
import { ORIGIN, type TestApp } from '../../support/app.ts'
import type { Overrides, AuthenticatorModel } from '../../support/authenticator-response.ts'
import { type Authenticator, createAuthenticator } from '../../support/authenticator.ts'
import { anonymous, type Person, type SignedInPerson, signedInPerson } from '../../support/people.ts'

export const newAuthenticator = (model: Partial<AuthenticatorModel> = {}): Authenticator =>
  createAuthenticator({ origin: ORIGIN, ...model })

export async function registrationOptions(person: Person): Promise<PublicKeyCredentialCreationOptionsJSON> {
  const response = await person.post('/api/passkeys/register/options')
  assert.equal(response.statusCode, 200, response.body)
  return response.json()
}

export async function loginOptions(visitor: Person): Promise<RequestOptions> {
  const response = await visitor.post('/api/passkeys/login/options', {})
  assert.equal(response.statusCode, 200, response.body)
  return response.json()
}

export const verifyRegistration = (person: Person, response: unknown, name?: string): Promise<Response> =>
  person.post('/api/passkeys/register/verify', { response, ...(name === undefined ? {} : { name }) })

export const verifyLogin = (visitor: Person, challengeId: string, response: unknown): Promise<Response> =>
  visitor.post('/api/passkeys/login/verify', { challengeId, response })

/** A complete registration. */
export async function register(
  person: Person,
  authenticator: Authenticator,
  overrides: Overrides = {},
  name?: string,
): Promise<Response> {
  const options = await registrationOptions(person)
  return verifyRegistration(person, authenticator.register(options, overrides), name)
}

/** A complete login. */
export async function login(
  visitor: Person,
  authenticator: Authenticator,
  overrides: Overrides = {},
): Promise<Response> {
  const options = await loginOptions(visitor)
  return verifyLogin(visitor, options.challengeId, authenticator.authenticate(options, overrides))
}

interface Enrolled {
  person: SignedInPerson
  authenticator: Authenticator
  passkey: Passkey
  /** Another browser of the same person, without a session. */
  visitor: Person
}

/** A user with one passkey and no password. */
export async function enrol(
  test: TestApp,
  model: Partial<AuthenticatorModel> = {},
  overrides: Overrides = {},
): Promise<Enrolled> {
  const person = await signedInPerson(test)
  const authenticator = newAuthenticator(model)
  const response = await register(person, authenticator, overrides)
  assert.equal(response.statusCode, 200, response.body)
  return { person, authenticator, passkey: response.json().passkey, visitor: anonymous(test) }
}

const REFUSALS = {
  passkey_not_accepted: 'The passkey was not accepted. Please try again.',
  passkey_not_known: 'This passkey does not belong to an account here any more.',
}

export function assertRefused(response: Response, reason: keyof typeof REFUSALS = 'passkey_not_accepted'): void {
  assert.equal(response.statusCode, 401, response.body)
  assert.deepEqual(response.json(), { error: REFUSALS[reason], code: 'passkey_refused', reason })
  assert.equal(response.headers['set-cookie'], undefined)
}

/** The number of responses by status. */
export const tally = (responses: Response[]): Record<number, number> =>
  Object.fromEntries(
    [...Map.groupBy(responses, ({ statusCode }) => statusCode)].map(([status, all]) => [status, all.length]),
  )

/** The stored signature counter, which no response contains. */
export async function counterOf({ services }: TestApp, passkey: { id: string }): Promise<number> {
  const { counter } = await services.db.read
    .selectFrom('passkeys')
    .select('counter')
    .where('id', '=', passkey.id)
    .executeTakeFirstOrThrow()
  return counter
}
