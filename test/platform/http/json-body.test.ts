import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AppError } from '../../../src/errors.ts'
import { parseJsonBody } from '../../../src/platform/http/request-body.ts'

const REFUSED: Record<string, Buffer> = {
  'bytes that are not UTF-8': Buffer.from([0x22, 0xff, 0x22]),
  'a byte order mark': Buffer.from('\ufeff{}'),
  'a name that is given twice': Buffer.from('{"a":1,"a":2}'),
  'a name that is given twice in two spellings': Buffer.from(String.raw`{"a":1,"\u0061":2}`),
  'a name that would reach the prototype': Buffer.from(String.raw`{"\u005f_proto__":1}`),
}

for (const [problem, body] of Object.entries(REFUSED)) {
  test(`a JSON body with ${problem} is refused`, () => {
    assert.throws(
      () => parseJsonBody(body),
      (error) => error instanceof AppError && error.code === 'malformed_body',
    )
  })
}

test('a JSON body with the same name in two objects, and quotes and braces in strings, is parsed', () => {
  const value = { a: { b: '{"b":"\\' }, c: [{ b: '}' }, { b: 'ä' }] }
  assert.deepEqual(parseJsonBody(Buffer.from(JSON.stringify(value))), value)
})
