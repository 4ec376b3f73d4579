import type {
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
} from '@simplewebauthn/server'
import { createAuthenticator } from '../test/support/authenticator.ts'
import { type Connection, expect, postJson, type Step } from './connection.ts'
import { type Fixture, ISSUER } from './fixture.ts'

/** Gives each worker a passkey of its own, and signs in with it. The authenticator's part is the load generator's work. */
export async function passkeyLogin(connection: Connection, { people }: Fixture, workers: number): Promise<Step> {
  const authenticators = Array.from({ length: workers }, () =>
    createAuthenticator({ origin: ISSUER, algorithm: 'ES256' }),
  )
  for (const [at, authenticator] of authenticators.entries()) {
    const headers = { Origin: ISSUER, Cookie: `session=${people[at % people.length]?.session}` }
    const asked = await connection.send(postJson('/api/passkeys/register/options', undefined, headers))
    expect(asked, 200, '"challenge"')
    const response = authenticator.register(JSON.parse(asked.body) as PublicKeyCredentialCreationOptionsJSON)
    const verify = { response, name: `Benchmark ${at}` }
    expect(await connection.send(postJson('/api/passkeys/register/verify', verify, headers)), 200, '"passkey"')
  }
  const headers = { Origin: ISSUER }
  return async (connection, worker) => {
    const asked = await connection.send(postJson('/api/passkeys/login/options', undefined, headers))
    expect(asked, 200, '"challengeId"')
    const { challengeId, ...options } = JSON.parse(asked.body) as PublicKeyCredentialRequestOptionsJSON & {
      challengeId: string
    }
    const response = authenticators[worker]?.authenticate(options)
    const verify = { challengeId, response }
    expect(await connection.send(postJson('/api/passkeys/login/verify', verify, headers)), 200, '"user"')
  }
}
