import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { ApiFailure } from '../../../dashboard/src/api/failure.ts'
import { failureSentence } from '../../../dashboard/src/lib/failure-sentence.ts'
import { PasskeyFailure } from '../../../dashboard/src/lib/passkey-failure.ts'
import { shared as german } from '../../../dashboard/src/texts/de/shared.ts'
import { shared as english } from '../../../dashboard/src/texts/en/shared.ts'

describe('the sentence that is shown for a failure', () => {
  test('is the server’s own sentence if it sent one', () => {
    const failure = new ApiFailure(new Response(null, { status: 409 }), { error: 'This email is taken.' })
    assert.equal(failureSentence(failure, english), 'This email is taken.')
    assert.equal(failureSentence(failure, german), 'This email is taken.')
  })

  test('explains each reason why a passkey can fail, in the user’s language', () => {
    for (const reason of ['unsupported', 'cancelled', 'known', 'failed'] as const) {
      assert.equal(failureSentence(new PasskeyFailure(reason), english), english.passkey[reason])
      assert.equal(failureSentence(new PasskeyFailure(reason), german), german.passkey[reason])
    }
    assert.equal(new Set(Object.values(english.passkey)).size, 4, 'each has a sentence of its own')
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
