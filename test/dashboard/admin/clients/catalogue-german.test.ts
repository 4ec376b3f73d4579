import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CATALOGUE } from '../../../../catalogue/catalogue.ts'
import { toGerman } from '../../../../dashboard/src/admin/clients/catalogue-german.ts'

/** Names of files, addresses and products, which are the same in every language. */
const SAME = /^(?:[\w.@/{}:-]+|(?:openid-client|next-auth) \d|ConfigMap [\w-]+)$/

const sentences = CATALOGUE.filter(({ family }) => family !== 'Generic').flatMap(
  ({ questions, why, notes, snippets, limits, unconfirmed }) =>
    [
      questions.map(({ label }) => label),
      Object.values(why),
      notes,
      snippets.map(({ title }) => title),
      limits ?? [],
      unconfirmed ?? [],
    ].flat(),
)

test('every sentence of the catalogue that the dashboard shows has a German version', () => {
  const missing = sentences.filter((sentence) => !SAME.test(sentence) && toGerman(sentence) === undefined)
  assert.deepEqual([...new Set(missing)], [])
})

test('a sentence keeps its names in German', () => {
  assert.equal(toGerman('Address of Grafana'), 'Adresse von Grafana')
  assert.equal(toGerman('Role whose members administer Argo CD'), 'Rolle, die Argo CD verwaltet')
  assert.equal(toGerman('PKCE is off unless use_pkce is set.'), 'PKCE ist aus, solange use_pkce nicht gesetzt ist.')
})
