import type { Permission } from '../../../src/vocabulary/permissions.ts'
import type { TestApp } from '../../support/app.ts'
import { signedInPerson, type SignedInPerson } from '../../support/people.ts'
import { newAuthenticator, registrationOptions } from '../passkeys/ceremonies.ts'

export interface Change {
  path: string
  body?: unknown
}

export interface ChangeTest {
  permission?: Permission
  /** Creates all that the request needs to succeed if nothing happens before its body arrives. */
  prepare(app: TestApp, person: SignedInPerson): Promise<Change>
}

export const PASSWORD = 'four unusual words here'
let count = 0
export const nextNumber = () => ++count
export const uniqueName = (name: string) => `${name} ${nextNumber()}`

/** One for all tests of an engine, because every administrator is notified of what each test does. */
export let admin: SignedInPerson

export async function signInAdministrator(app: TestApp): Promise<void> {
  admin = await signedInPerson(app, { admin: true })
}

export const otherUser = async (app: TestApp) => (await signedInPerson(app)).user.id

export async function addPasskey(_app: TestApp, person: SignedInPerson): Promise<string> {
  const response = newAuthenticator().register(await registrationOptions(person))
  return (await person.post('/api/passkeys/register/verify', { response })).json().passkey.id
}
