import assert from 'node:assert/strict'
import type { Response } from 'light-my-request'
import { userErrors } from '../../src/identity/users/user-errors.ts'
import type { FuzzRequest } from './requests.ts'

type Answer = Pick<Response, 'statusCode' | 'headers' | 'body'>

/** For every request: the answer is not a server error, and a refusal has the error format of its endpoint. */
export function checkAnswer({ url, headers }: FuzzRequest, answer: Answer): void {
  const { statusCode, body } = answer
  assert.ok(statusCode < 500, 'the answer is a server error')
  if (statusCode < 400) return
  const type = String(answer.headers['content-type'])
  if (type.startsWith('text/html')) {
    const isPage = /^\/oauth\/(authorize|logout)\b/.test(url) || headers['accept']?.includes('text/html')
    return assert.ok(
      isPage && body.startsWith('<!doctype html>'),
      'an HTML page is the answer to a request that did not accept one',
    )
  }
  assert.ok(type.startsWith('application/json'), `a refusal has the type ${type}`)
  const refusal = JSON.parse(body) as { error?: string; code?: string; error_description?: string }
  assert.equal(typeof refusal.error, 'string', 'a refusal names its error')
  if (isProtocol(url)) {
    assert.match(String(refusal.error), /^[a-z_]+$/, 'RFC 6749 section 5.2: an error is a code')
    assert.match(refusal.error_description ?? '', /^[\x20-\x7e]*$/, 'a description is printable ASCII')
  } else if (refusal.error !== userErrors.account_disabled.sentence) {
    assert.match(String(refusal.code), /^[a-z_]+$/, 'a refusal has a code for programs')
  }
}

const isProtocol = (url: string): boolean =>
  /^\/oauth\/(?!application\b|clients\b|details\b|approve\b|device\b)/.test(url)
