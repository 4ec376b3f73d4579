import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { errors as german } from '../../../dashboard/src/texts/de/errors.ts'
import { failures as germanFailures } from '../../../dashboard/src/texts/de/failures.ts'
import { failures as englishFailures } from '../../../dashboard/src/texts/en/failures.ts'
import { type ErrorSentences, sentenceOf } from '../../../dashboard/src/texts/error-texts.ts'
import { PROTOCOL_ERRORS, SHOWN_ERRORS } from '../../../src/error-reasons.ts'
import { ISSUES, type IssueReason } from '../../../src/platform/http/validation-issues.ts'
import { limitErrors } from '../../../src/platform/limits/limit-errors.ts'
import { namesIn } from '../../../src/vocabulary/fill-sentence.ts'

// That every reason has a sentence in every language is a matter of types.
const languages: Record<string, ErrorSentences> = { german }
const english = new Map(Object.entries(SHOWN_ERRORS).map(([reason, { sentence }]) => [reason, sentence as string]))

describe('the errors of the server', () => {
  for (const [name, language] of Object.entries(languages)) {
    test(`are said in ${name} with no value that the reason lacks, and for no reason that there is not`, () => {
      assert.notEqual(language, 'as the server')
      const { sentences } = language as Exclude<ErrorSentences, string>
      for (const [reason, sentence] of Object.entries(sentences)) {
        assert.ok(english.has(reason), reason)
        assert.notEqual(sentence.trim(), '', reason)
        const known = new Set(namesIn(english.get(reason) ?? ''))
        assert.deepEqual(
          namesIn(sentence).filter((value) => !known.has(value)),
          [],
          reason,
        )
      }
    })
  }

  for (const [name, { issues }] of Object.entries({ german: germanFailures, english: englishFailures })) {
    test(`about one field are said in ${name} with no value that the reason lacks`, () => {
      for (const [reason, sentence] of Object.entries(issues)) {
        const known = namesIn(ISSUES[reason as IssueReason])
        assert.deepEqual(
          namesIn(sentence).filter((value) => !known.includes(value)),
          [],
          reason,
        )
      }
    })
  }

  test('have each a reason of their own', () => {
    const shared = Object.keys(SHOWN_ERRORS).filter((reason) => Object.hasOwn(PROTOCOL_ERRORS, reason))
    assert.deepEqual(shared, [])
  })

  test('are said with their values, whatever these hold', () => {
    const language = { sentences: { taken: 'Der Name {name} ist {wait:duration} lang vergeben.' }, sayDuration: String }
    const said = (values: Record<string, string | number>) =>
      sentenceOf(language as unknown as ErrorSentences, { message: 'Taken.', reason: 'taken', values })
    assert.equal(said({ name: '$& {wait}', wait: 5 }), 'Der Name $& {wait} ist 5 lang vergeben.')
  })

  test('say one second in the singular, and from two minutes on minutes', () => {
    const said = (wait: number) => {
      const error = limitErrors.too_many_failures({ wait })
      return [error.message, sentenceOf(german, error) ?? ''].map((sentence) => sentence.match(/\d+ \p{L}+/u)?.[0])
    }
    assert.deepEqual(said(1), ['1 second', '1 Sekunde'])
    assert.deepEqual(said(119), ['119 seconds', '119 Sekunden'])
    assert.deepEqual(said(120), ['2 minutes', '2 Minuten'])
  })

  test('that this dashboard does not know are left to the code', () => {
    assert.equal(sentenceOf(german, { message: 'New.', reason: 'of_a_newer_version' }), undefined)
    assert.equal(sentenceOf('as the server', { message: 'New.', reason: 'of_a_newer_version' }), 'New.')
    assert.equal(sentenceOf(undefined, { message: 'New.', reason: 'nothing_here' }), undefined)
  })
})
