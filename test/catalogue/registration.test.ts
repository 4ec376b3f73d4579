import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { CATALOGUE } from '../../catalogue/catalogue.ts'
import { exampleAnswers, fillIn } from '../../catalogue/fill-in.ts'
import { sharedApp } from '../support/app.ts'
import { signedInPerson } from '../support/people.ts'

interface Registered {
  client: Record<string, unknown>
  client_secret?: string
}

describe('the client of an entry', () => {
  const app = sharedApp({ config: { allowMissingPkce: true } })

  for (const entry of CATALOGUE) {
    test(`of ${entry.name} is accepted, and has the settings that the entry names`, async () => {
      const admin = await signedInPerson(app(), { permissions: ['oauth_clients:write'] })
      const filled = fillIn(entry, exampleAnswers(entry), { issuer: 'https://id.example.com' })
      assert.ok(!filled.problems, JSON.stringify(filled.problems))
      const { redirectUris, postLogoutRedirectUris = [], ...settings } = filled.client
      const answer = await admin.post('/oauth/clients', filled.client)
      assert.equal(answer.statusCode, 201, answer.body)
      const { client, client_secret } = answer.json<Registered>()
      assert.deepEqual(client['redirect_uris'], redirectUris)
      assert.deepEqual(client['post_logout_redirect_uris'], postLogoutRedirectUris)
      for (const [name, value] of Object.entries(settings)) assert.deepEqual(client[name], value, name)
      assert.equal(client_secret !== undefined, entry.client.clientType === 'confidential')
    })
  }
})
