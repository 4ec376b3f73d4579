import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { ApiFailure } from '../../../dashboard/src/api/failure.ts'
import { placeIssues } from '../../../dashboard/src/lib/field-issue.ts'
import { setCurrentTexts } from '../../../dashboard/src/texts/current-texts.ts'
import { errors } from '../../../dashboard/src/texts/de/errors.ts'
import { failures } from '../../../dashboard/src/texts/de/failures.ts'
import { shared } from '../../../dashboard/src/texts/de/shared.ts'

const failure = new ApiFailure(new Response(null, { status: 400 }), {
  error: 'No.',
  issues: [{ path: 'redirectUris/1', message: 'must use https' }],
})

const fieldsOf = (...fields: string[]) => placeIssues(failure, fields).errors

describe('what the server said about a field', () => {
  test('is shown at that field, at the list that the item is part of, or at the first part of it', () => {
    assert.deepEqual(fieldsOf('name', 'redirectUris'), { redirectUris: 'must use https' })
    assert.deepEqual(fieldsOf('redirectUris', 'redirectUris.1'), { 'redirectUris.1': 'must use https' })
    assert.deepEqual(fieldsOf('redirectUris.1.path'), { 'redirectUris.1.path': 'must use https' })
    assert.deepEqual(fieldsOf('redirect', 'redirectUris2'), {})
  })

  test('is not said a second time when all of it is beside fields', () => {
    assert.equal(placeIssues(failure, ['redirectUris']).unplaced, undefined)
    assert.equal(placeIssues(failure, ['name']).unplaced, failure)
    const offline = new TypeError('offline')
    assert.deepEqual(placeIssues(offline, ['redirectUris']), { errors: {}, unplaced: offline })
  })

  test('is said in the language of the page', (t) => {
    setCurrentTexts('de', { shared, failures, errors })
    t.after(() => setCurrentTexts('en', {}))
    const said = (issue: object, code = 'invalid_input') =>
      placeIssues(
        new ApiFailure(new Response(null, { status: 400 }), {
          error: 'No.',
          code,
          issues: [{ path: 'a', message: 'No.', ...issue }],
        }),
        ['a'],
      ).errors['a']
    assert.equal(said({ reason: 'required' }), failures.issues.required)
    assert.equal(said({ reason: 'too_long', values: { max: 100 } }), 'Höchstens 100 Zeichen.')
    assert.equal(said({ reason: 'too_large', values: { max: 86400 } }), 'Der größte Wert ist 86400.')
    assert.equal(said({ reason: 'of_a_newer_version' }), failures.issues.not_valid)
    assert.equal(said({ reason: 'username_reserved' }), 'Dieser Benutzername ist reserviert.')
    assert.equal(
      said({ reason: 'email_domain_not_accepted', values: { domain: 'else.example' } }, 'email_domain'),
      'Adressen von else.example sind hier nicht zugelassen.',
    )
    assert.equal(said({ message: 'Something new.' }, 'conflict'), failures.errors.conflict)
  })
})
