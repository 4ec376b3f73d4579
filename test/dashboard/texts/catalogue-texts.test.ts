import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CATALOGUE } from '../../../catalogue/catalogue.ts'
import { sayOfCatalogue } from '../../../dashboard/src/texts/catalogue-texts.ts'
import { catalogue as german } from '../../../dashboard/src/texts/de/catalogue.ts'

/** Names of files, addresses and products, which are the same in every language. */
const SAME = /^(?:[\w.@/{}:-]+|(?:openid-client|next-auth) \d|ConfigMap [\w-]+)$/

/** Menus whose entries have these names in German too. */
const SAME_MENUS = new Set<string>([
  'Plugins, SSO-Auth',
  'Integrations, Identity providers, Add new, OpenID Connect',
  'Settings, Authentication, OAuth, Custom',
])

const sentencesOf = ({ questions, why, notes, snippets, limits, unconfirmed }: (typeof CATALOGUE)[number]) =>
  [
    questions.map(({ label }) => label),
    Object.values(why),
    notes,
    snippets.map(({ title }) => title),
    limits ?? [],
    unconfirmed ?? [],
  ].flat()

test('every sentence of the catalogue that the dashboard shows has a German version, and every German version a sentence', () => {
  const used = new Set<string>()
  const missing: string[] = []
  for (const entry of CATALOGUE.filter(({ family }) => family !== 'Generic')) {
    for (const sentence of sentencesOf(entry)) {
      const key = [sentence, sentence.replaceAll(entry.name, '{name}')].find((each) => Object.hasOwn(german, each))
      if (key !== undefined) used.add(key)
      else if (!SAME.test(sentence) && !SAME_MENUS.has(sentence)) missing.push(sentence)
    }
  }
  assert.deepEqual([...new Set(missing)], [])
  assert.deepEqual(
    Object.keys(german).filter((sentence) => !used.has(sentence)),
    [],
  )
})

test('a sentence keeps its names in another language', () => {
  assert.equal(sayOfCatalogue(german, 'Grafana', 'Address of Grafana'), 'Adresse von Grafana')
  assert.equal(sayOfCatalogue(german, 'Grafana', 'grafana.ini'), 'grafana.ini')
})
