import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { ApiFailure } from '../../../dashboard/src/api/failure.ts'
import { shouldRetry } from '../../../dashboard/src/session/query-client.ts'

const refusal = (status: number) => new ApiFailure(new Response(null, { status }), {})

describe('a failed request', () => {
  test('is retried when the connection was lost or the server failed, at most twice', () => {
    for (const error of [new TypeError('Failed to fetch'), refusal(500), refusal(503)]) {
      assert.equal(shouldRetry(0, error), true)
      assert.equal(shouldRetry(1, error), true)
      assert.equal(shouldRetry(2, error), false)
    }
  })

  test('is not retried when the server refused it, since a retry would prolong a 429', () => {
    for (const status of [400, 401, 403, 404, 409, 429]) assert.equal(shouldRetry(0, refusal(status)), false)
  })
})
