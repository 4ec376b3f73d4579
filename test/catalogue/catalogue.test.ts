import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { CATALOGUE } from '../../catalogue/catalogue.ts'
import type { Entry } from '../../catalogue/entry.ts'
import { exampleAnswers, fillIn } from '../../catalogue/fill-in.ts'

const ROOT = join(import.meta.dirname, '../..')
const ISSUED = { issuer: 'https://id.example.com', clientId: 'app_1', clientSecret: 'cs_secret' }

function filled(entry: Entry) {
  const result = fillIn(entry, exampleAnswers(entry), ISSUED)
  if (result.problems) return assert.fail(JSON.stringify(result.problems))
  return result
}

const placeholdersOf = (entry: Entry): string[] =>
  [...JSON.stringify([entry.client, entry.snippets]).matchAll(/\{\{(.*?)\}\}/g)].map(([, name = '']) => name)

test('an id is used once', () => {
  const ids = CATALOGUE.map(({ id }) => id)
  assert.deepEqual(ids, [...new Set(ids)])
})

for (const entry of CATALOGUE) {
  describe(entry.name, () => {
    test('uses only placeholders that have a value, and asks for nothing that it does not use', () => {
      const asked = entry.questions.map(({ name }) => name)
      const hosts = asked.includes('address') ? ['host'] : []
      const known = new Set(['issuer', 'issuer_with_credentials', 'client_id', 'client_secret', ...asked, ...hosts])
      const used = placeholdersOf(entry)
      assert.deepEqual(
        used.filter((name) => !known.has(name)),
        [],
      )
      assert.deepEqual(
        asked.filter((name) => !used.includes(name)),
        [],
      )
      assert.doesNotMatch(JSON.stringify(filled(entry)), /\{\{/)
    })

    test('says why for each setting that is not the default, and only for settings that it has', () => {
      const { client, why } = entry
      for (const name of ['idTokenClaims', 'id_token_signed_response_alg', 'pkce'] as const) {
        assert.equal(client[name] === undefined, why[name] === undefined, name)
      }
      for (const name of Object.keys(why)) assert.ok(name in client, name)
    })

    test('cites a source with a date, and a test that exists', () => {
      assert.equal(new URL(entry.source).protocol, 'https:')
      assert.match(entry.lookedUpOn, /^20\d\d-\d\d-\d\d$/)
      assert.ok(Date.parse(entry.lookedUpOn) > 0)
      if (!('test' in entry.tried)) return assert.match(entry.tried.not, /\.$/)
      for (const file of entry.tried.test.split(' and ')) assert.ok(existsSync(join(ROOT, file)), file)
    })

    test('has no secret where everybody could read it, and refresh tokens only where it asks for them', () => {
      const { client, snippets } = entry
      const secretIsShown = snippets.some(({ text }) => text.includes('{{client_secret}}'))
      assert.equal(secretIsShown, client.clientType === 'confidential')
      if (client.clientType === 'public') assert.ok(!client.grantTypes.includes('client_credentials'))
      assert.equal(client.grantTypes.includes('refresh_token'), client.scopes.includes('offline_access'))
      assert.equal(client.grantTypes.includes('authorization_code'), client.redirectUris.length > 0)
    })

    test('lets the other side request the scopes that the client has, and no others', () => {
      const text = entry.snippets.map((snippet) => snippet.text).join('\n')
      const lists = [...text.matchAll(/\bopenid(?:["', ]+(?:profile|email|groups|offline_access)\b)+/g)]
      const requested = new Set(lists.flatMap(([list]) => list.split(/["', ]+/)))
      // A scope that the person names is beside them.
      const known = entry.client.scopes.filter((scope) => !scope.includes('{{'))
      if (requested.size > 0) assert.deepEqual([...requested].toSorted(), known.toSorted())
    })

    test('gives settings in the format that it names', () => {
      for (const { format, text } of filled(entry).snippets) {
        const lines = text.split('\n')
        if (format === 'json') assert.doesNotThrow(() => JSON.parse(text))
        if (format === 'env') for (const line of lines) assert.match(line, /^[A-Z][A-Z0-9_]*=\S/)
        if (format === 'form') for (const line of lines) assert.match(line, /^[A-Z][^:]*: \S/)
        assert.doesNotMatch(text, /[\t\r]|[ ]$/m)
      }
    })
  })
}
