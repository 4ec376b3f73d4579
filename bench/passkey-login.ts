import type {
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
} from '@simplewebauthn/server'
import { createAuthenticator } from '../test/support/authenticator.ts'
import { type Connection, expect, postJson, type Step } from './connection.ts'
import { type Fixture, ISSUER } from './fixture.ts'

/** Registers a passkey for each worker; a step signs in with it. The authenticator runs in the load generator. */
export async function passkeyLogin(connection: Connection, { people }: Fixture, workers: number): Promise<Step> {
  const authenticators = Array.from({ length: workers }, () =>
    createAuthenticator({ origin: ISSUER, algorithm: 'ES256' }),
  )
  for (const [at, authenticator] of authenticators.entries()) {
    const headers = { Origin: ISSUER, Cookie: `session=${people[at % people.length]?.session}` }
    const answer = await connection.send(postJson('/api/passkeys/register/options', undefined, headers))
    expect(answer, 200, '"challenge"')
    const response = authenticator.register(JSON.parse(answer.body) as PublicKeyCredentialCreationOptionsJSON)
    const verify = { response, name: `Benchmark ${at}` }
    expect(await connection.send(postJson('/api/passkeys/register/verify', verify, headers)), 200, '"passkey"')
  }
  const headers = { Origin: ISSUER }
  return async (connection, worker) => {
    const answer = await connection.send(postJson('/api/passkeys/login/options', undefined, headers))
    expect(answer, 200, '"challengeId"')
    const { challengeId, ...options } = JSON.parse(answer.body) as PublicKeyCredentialRequestOptionsJSON & {
      challengeId: string
    }
    const response = authenticators[worker]?.authenticate(options)
    const verify = { challengeId, response }
    expect(await connection.send(postJson('/api/passkeys/login/verify', verify, headers)), 200, '"user"')
  }
}
