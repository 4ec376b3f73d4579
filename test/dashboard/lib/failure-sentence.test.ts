import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { ApiFailure } from '../../../dashboard/src/api/failure.ts'
import { failureSentence } from '../../../dashboard/src/lib/failure-sentence.ts'
import { PasskeyFailure } from '../../../dashboard/src/lib/passkey-failure.ts'
import { errors } from '../../../dashboard/src/texts/de/errors.ts'
import { failures as germanFailures } from '../../../dashboard/src/texts/de/failures.ts'
import { shared as german } from '../../../dashboard/src/texts/de/shared.ts'
import { failures as englishFailures } from '../../../dashboard/src/texts/en/failures.ts'
import { shared as english } from '../../../dashboard/src/texts/en/shared.ts'
import { ERROR_CODES } from '../../../src/errors.ts'

const inEnglish = { failures: englishFailures, errors: 'as the server' } as const
const inGerman = { failures: germanFailures, errors }

const refusal = (status: number, body: object) => new ApiFailure(new Response(null, { status }), body)

describe('the sentence that is shown for a failure', () => {
  test('is the server’s own sentence in English, and its translation in German', () => {
    const about = { reason: 'username_taken', values: { username: 'ada' } }
    const failure = refusal(409, { error: 'The username ada is taken.', code: 'conflict', ...about })
    assert.equal(failureSentence(failure, english, inEnglish), 'The username ada is taken.')
    assert.equal(failureSentence(failure, german, inGerman), 'Der Benutzername ada ist vergeben.')
  })

  test('is the text of the code for a sentence without a translation, and for a fragment made for programs', () => {
    const unknown = refusal(409, { error: 'Something new.', code: 'conflict' })
    assert.equal(failureSentence(unknown, german, inGerman), germanFailures.errors.conflict)
    const issues = [{ path: 'redirectUris/0', message: 'must have…', reason: 'too_long', values: { max: 10 } }]
    const schema = refusal(400, { error: '"redirectUris/0" must have…', code: 'invalid_input', issues })
    assert.equal(failureSentence(schema, english, inEnglish), englishFailures.errors.invalid_input)
    const disabled = refusal(403, { error: 'Your account has been disabled.' })
    assert.equal(failureSentence(disabled, german, inGerman), germanFailures.errors.account_disabled)
  })

  test('exists for every code of the server, in both languages', () => {
    for (const { errors } of [englishFailures, germanFailures])
      assert.deepEqual(Object.keys(errors).toSorted(), ERROR_CODES.toSorted())
  })

  test('explains each reason why a passkey can fail, in the user’s language', () => {
    for (const reason of ['unsupported', 'cancelled', 'known', 'failed'] as const) {
      assert.equal(failureSentence(new PasskeyFailure(reason), english), english.passkey[reason])
      assert.equal(failureSentence(new PasskeyFailure(reason), german), german.passkey[reason])
    }
    assert.equal(new Set(Object.values(english.passkey)).size, 4, 'each has a sentence of its own')
  })

  test('is the server’s own while what is said about refusals could not be loaded', () => {
    const failure = refusal(409, { error: 'The username ada is taken.', code: 'conflict' })
    assert.equal(failureSentence(failure, german), 'The username ada is taken.')
  })

  test('says that the server can’t be reached when no answer came', () => {
    assert.equal(failureSentence(new TypeError('Failed to fetch'), english), english.offline)
  })

  test('is the message of another error, or a general sentence when there is none', () => {
    assert.equal(
      failureSentence(new Error('The picture could not be drawn.'), english),
      'The picture could not be drawn.',
    )
    for (const failure of [new Error(''), 'text', 7, { message: 'no error' }]) {
      assert.equal(failureSentence(failure, german), german.unexpected)
    }
  })
})
