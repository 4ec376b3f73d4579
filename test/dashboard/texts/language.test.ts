import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { preferredLanguage } from '../../../dashboard/src/texts/language.ts'

describe('the language of the page', () => {
  test('is the stored choice, whatever the browser prefers', () => {
    assert.equal(preferredLanguage('de', ['en-GB']), 'de')
    assert.equal(preferredLanguage('en', ['de-AT']), 'en')
  })

  test('is otherwise the first of the browser’s languages that is available, whatever its region', () => {
    assert.equal(preferredLanguage(null, ['fr', 'de-CH', 'en']), 'de')
    assert.equal(preferredLanguage(null, ['en-GB', 'de']), 'en')
  })

  test('is English when none of them is available', () => {
    assert.equal(preferredLanguage(null, ['fr-FR', 'nl']), 'en')
    assert.equal(preferredLanguage(null, []), 'en')
  })

  test('ignores a stored value that is not a language', () => {
    for (const chosen of ['', 'fr', 'DE', 'toString', 'constructor', '__proto__']) {
      assert.equal(preferredLanguage(chosen, ['de']), 'de', chosen)
    }
  })
})
