import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { ApiFailure } from '../../../dashboard/src/api/failure.ts'
import { beyondFields, issueAt } from '../../../dashboard/src/lib/field-issue.ts'

const failure = new ApiFailure(new Response(null, { status: 400 }), {
  error: 'No.',
  issues: [{ path: 'redirectUris/1', message: 'must use https' }],
})

describe('what the server said about a field', () => {
  test('is found by the name of the field, and by that of one item', () => {
    assert.equal(issueAt(failure, 'redirectUris'), 'must use https')
    assert.equal(issueAt(failure, 'redirectUris/1'), 'must use https')
    assert.equal(issueAt(failure, 'redirectUris/2'), undefined)
    assert.equal(issueAt(failure, 'redirect'), undefined)
    assert.equal(issueAt(new TypeError('offline'), 'redirectUris'), undefined)
  })

  test('is not said a second time when all of it is beside fields', () => {
    assert.equal(beyondFields(failure, ['redirectUris']), undefined)
    assert.equal(beyondFields(failure, ['name']), failure)
    const offline = new TypeError('offline')
    assert.equal(beyondFields(offline, ['name']), offline)
  })
})
