import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { languages } from '../../../dashboard/src/texts/language.ts'
import { SERVER_SENTENCES } from '../../../dashboard/src/texts/server-sentences.ts'
import { translateSentence, type Refusals } from '../../../dashboard/src/texts/translate-sentence.ts'

const SERVER = join(import.meta.dirname, '../../../src')
const TEXTS = join(import.meta.dirname, '../../../dashboard/src/texts')

/** Codes whose sentence says more than the text of the code does. Those of OAuth and of damaged requests do not. */
const TELLING = new Set([
  'conflict', 'forbidden', 'own_access', 'not_allowed', 'not_found', 'invalid_input', 'reserved_scope', 'too_many_requests', 'invalid_token',
  'registration_closed', 'email_domain', 'host_taken',
]) // prettier-ignore

/** What only the command line, a host or a program that uses the API gets to read. */
const NOT_IN_THE_DASHBOARD =
  /^operations\/(cli|backup)\/|^app\.ts|^platform\/http\/|grant-administrator|skip-serials|enroll-host|hosts\/routes|device\/authorize-device|json-body|change-many/

const QUOTED = String.raw`(\x60[^\x60]*\x60|'(?:[^'\\]|\\.)*'|"[^"]*")`
const REFUSAL = new RegExp(String.raw`(?:refuse|new AppError)\(\s*'(\w+)',\s*${QUOTED}`, 'g')
const FIELD_REFUSAL = new RegExp(String.raw`refuseField\(\s*[^,]+,\s*${QUOTED}(?:,\s*'(\w+)')?`, 'g')

const asPattern = (quoted: string) => quoted.slice(1, -1).replaceAll(/\$\{(?:[^{}]|\{[^}]*\})*\}/g, '{}')

/** The sentences in the server's code, with {} for each value. */
function sentencesOfTheServer(): string[] {
  const found = new Set<string>()
  for (const file of globSync('**/*.ts', { cwd: SERVER })) {
    if (NOT_IN_THE_DASHBOARD.test(file)) continue
    const code = readFileSync(join(SERVER, file), 'utf8')
    for (const [, name = '', text = ''] of code.matchAll(REFUSAL)) if (TELLING.has(name)) found.add(asPattern(text))
    for (const [, text = '', name = 'invalid_input'] of code.matchAll(FIELD_REFUSAL))
      if (TELLING.has(name)) found.add(asPattern(text))
  }
  return [...found].toSorted()
}

describe('the sentences with which the server refuses something', () => {
  test('are all in the list that the languages translate', () => {
    const known = new Set<string>(SERVER_SENTENCES)
    assert.deepEqual(
      sentencesOfTheServer().filter((sentence) => !known.has(sentence)),
      [],
    )
  })

  for (const language of Object.keys(languages)) {
    test(`each have a translation in ${language} that mentions no value which the sentence lacks`, async () => {
      const { refusals } = (await import(join(TEXTS, language, 'refusals.ts'))) as { refusals: Refusals }
      const count = (text: string) => text.split('{}').length
      for (const sentence of SERVER_SENTENCES) {
        const said = translateSentence(refusals, sentence)
        assert.ok(said, sentence)
        assert.ok(count(said) <= count(sentence), sentence)
      }
    })
  }

  test('keep their values when they are translated', () => {
    const table = { 'The username {} is taken.': 'Der Benutzername {} ist vergeben.', 'A (b).': 'C.' }
    assert.equal(translateSentence(table, 'The username ada is taken.'), 'Der Benutzername ada ist vergeben.')
    assert.equal(translateSentence(table, 'The username $& is taken.'), 'Der Benutzername $& ist vergeben.')
    assert.equal(translateSentence(table, 'A (b).'), 'C.')
    assert.equal(translateSentence(table, 'Something new.'), undefined)
    assert.equal(translateSentence('as they are', 'Something new.'), 'Something new.')
    assert.equal(translateSentence(undefined, 'Something new.'), undefined)
  })
})
