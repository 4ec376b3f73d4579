import assert from 'node:assert/strict'
import type { RealProvider } from '../interop/provider.ts'
import { signedInPerson } from '../support/people.ts'

interface Registered {
  client_id: string
  client_secret: string
}

/** A client that introspects, and programs that bring it tokens. */
export async function registerResourceServer({ app, issuer }: RealProvider, client: Record<string, unknown>) {
  const admin = await signedInPerson(app, { admin: true })
  const register = async (settings: Record<string, unknown>): Promise<Registered> => {
    const answer = await admin.post('/oauth/clients', settings, { origin: issuer })
    assert.equal(answer.statusCode, 201, answer.body)
    return answer.json<Registered>()
  }
  const { client_id: clientId, client_secret: clientSecret } = await register({ name: 'API', ...client })

  return {
    credentials: { clientId, clientSecret },
    /** A token of client credentials with this scope, of a client of its own. */
    async newToken(scope: string) {
      const machine = await register({
        name: 'Machine',
        clientType: 'confidential',
        scopes: [scope],
        grantTypes: ['client_credentials'],
      })
      const send = (path: string, fields: Record<string, string>) =>
        fetch(issuer + path, {
          method: 'POST',
          headers: { authorization: `Basic ${btoa(`${machine.client_id}:${machine.client_secret}`)}` },
          body: new URLSearchParams(fields),
        })
      const answer = await send('/oauth/token', { grant_type: 'client_credentials', scope })
      const { access_token: token } = (await answer.json()) as { access_token: string }
      return {
        token,
        clientId: machine.client_id,
        revoke: async () => assert.equal((await send('/oauth/revoke', { token })).status, 200),
      }
    },
  }
}
