import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { ApiFailure, hasCode, isStatus } from '../../../dashboard/src/api/failure.ts'

const response = (status: number, headers: Record<string, string> = {}, statusText = '') =>
  new Response(null, { status, statusText, headers })

describe('a refusal by the server', () => {
  test('has the server’s own message, code, issues and request id', () => {
    const failure = new ApiFailure(response(400, { 'X-Request-Id': 'req_1' }), {
      error: 'The email is not an address.',
      code: 'invalid_request',
      issues: [{ path: 'email', message: 'must match pattern' }],
    })
    assert.equal(failure.message, 'The email is not an address.')
    assert.equal(failure.status, 400)
    assert.equal(failure.code, 'invalid_request')
    assert.deepEqual(failure.issues, [{ path: 'email', message: 'must match pattern' }])
    assert.equal(failure.requestId, 'req_1')
    assert.ok(failure instanceof Error)
  })

  test('of an OAuth endpoint has its message in error_description and its code in error', () => {
    const failure = new ApiFailure(response(400), { error: 'invalid_scope', error_description: 'No such scope.' })
    assert.deepEqual([failure.message, failure.code], ['No such scope.', 'invalid_scope'])
    const bare = new ApiFailure(response(400), { error: 'invalid_scope' })
    assert.deepEqual([bare.message, bare.code], ['invalid_scope', undefined])
  })

  test('without a readable body has its status as the message', () => {
    for (const body of [undefined, null, 'Bad Gateway', 502, [], {}, { error: '' }, { error: { text: 'x' } }]) {
      const failure = new ApiFailure(response(502, {}, 'Bad Gateway'), body)
      assert.equal(failure.message, '502 Bad Gateway', JSON.stringify(body))
      assert.deepEqual([failure.code, failure.issues, failure.requestId], [undefined, [], undefined])
    }
    // HTTP/2 has no status text.
    assert.equal(new ApiFailure(response(502), undefined).message, '502')
  })

  test('leaves out issues and codes of an invalid type', () => {
    const issues = [{ path: 'a', message: 'b' }, { path: 1, message: 'b' }, { path: 'a' }, null, 'a']
    const failure = new ApiFailure(response(400), { error: 'No.', code: 7, issues })
    assert.deepEqual(failure.issues, [{ path: 'a', message: 'b' }])
    assert.equal(failure.code, undefined)
    assert.deepEqual(new ApiFailure(response(400), { error: 'No.', issues: 'email' }).issues, [])
  })

  test('is recognized by its status, and nothing else is', () => {
    const failure = new ApiFailure(response(403), {})
    assert.ok(isStatus(failure, 403))
    assert.ok(isStatus(failure, 401, 403))
    assert.ok(!isStatus(failure, 401))
    assert.ok(!isStatus(failure))
    assert.ok(!isStatus({ status: 403 }, 403))
    assert.ok(!isStatus(new TypeError('fetch failed'), 403))
    assert.ok(!isStatus(undefined, 403))
  })

  test('is recognized by its code, including a code that only another version of the server has', () => {
    const failure = new ApiFailure(response(400), { error: 'No.', code: 'invalid_token' })
    assert.ok(hasCode(failure, 'invalid_token'))
    assert.ok(!hasCode(failure, 'invalid_input'))
    assert.ok(!hasCode({ code: 'invalid_token' }, 'invalid_token'))
    assert.ok(!hasCode(undefined, 'invalid_token'))
    const unknown = new ApiFailure(response(400), { error: 'No.', code: 'unheard_of' })
    assert.equal(unknown.code, 'unheard_of')
    // @ts-expect-error The type accepts only codes that this version of the server has.
    assert.ok(hasCode(unknown, 'unheard_of'))
  })
})
