import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { fastify } from 'fastify'
import { Type } from 'typebox'
import { toAppError } from '../../../src/platform/http/errors.ts'
import { compileSchemas } from '../../../src/platform/http/schemas.ts'
import { VisibleName } from '../../../src/platform/http/visible-name.ts'

const Body = Type.Object(
  {
    name: VisibleName({ maxLength: 5 }),
    kind: Type.Optional(Type.Enum(['one', 'other'])),
    count: Type.Optional(Type.Integer({ minimum: 1, maximum: 9 })),
    items: Type.Optional(Type.Array(Type.String({ pattern: '^a' }), { minItems: 1, maxItems: 2, uniqueItems: true })),
    code: Type.Optional(Type.String({ minLength: 4 })),
  },
  { additionalProperties: false },
)

async function issuesOf(payload: object) {
  const app = fastify()
  compileSchemas(app)
  app.setErrorHandler((thrown, _request, reply) => {
    const { message, code, reason, issues } = toAppError(thrown)
    return reply.code(400).send({ message, code, reason, issues })
  })
  app.post('/', { schema: { body: Body } }, async () => ({}))
  const answer = await app.inject({ method: 'POST', url: '/', payload })
  return answer.json<{ message: string; code: string; reason: string; issues: object[] }>()
}

describe('a request that does not match its contract', () => {
  const cases: [object, object][] = [
    [{}, { path: 'name', message: 'is required', reason: 'required' }],
    [
      { name: 'a', x: 1 },
      { path: 'x', message: 'is not a known field', reason: 'unknown_field' },
    ],
    [
      { name: 7 },
      { path: 'name', message: 'must be of the type string', reason: 'wrong_type', values: { type: 'string' } },
    ],
    [{ name: '' }, { path: 'name', message: 'must not be empty', reason: 'empty' }],
    [
      { name: 'abcdef' },
      { path: 'name', message: 'must have at most 5 characters', reason: 'too_long', values: { max: 5 } },
    ],
    [{ name: 'a\u200bb' }, { path: 'name', message: 'holds an invisible character', reason: 'invisible_character' }],
    [
      { name: 'a', kind: 'x' },
      {
        path: 'kind',
        message: 'must be one of: one, other',
        reason: 'value_not_allowed',
        values: { allowed: 'one, other' },
      },
    ],
    [
      { name: 'a', count: 0 },
      { path: 'count', message: 'must be at least 1', reason: 'too_small', values: { min: 1 } },
    ],
    [
      { name: 'a', count: 10 },
      { path: 'count', message: 'must be at most 9', reason: 'too_large', values: { max: 9 } },
    ],
    [
      { name: 'a', items: [] },
      { path: 'items', message: 'must not be empty', reason: 'empty' },
    ],
    [
      { name: 'a', items: ['a', 'aa', 'ab'] },
      { path: 'items', message: 'must have at most 2 items', reason: 'too_many_items', values: { max: 2 } },
    ],
    [
      { name: 'a', items: ['a', 'a'] },
      { path: 'items', message: 'must not have the same item twice', reason: 'duplicate_items' },
    ],
    [
      { name: 'a', items: ['b'] },
      { path: 'items/0', message: 'must match the pattern ^a', reason: 'wrong_pattern', values: { pattern: '^a' } },
    ],
    [
      { name: 'a', code: 'abc' },
      { path: 'code', message: 'must have at least 4 characters', reason: 'too_short', values: { min: 4 } },
    ],
  ]
  for (const [payload, issue] of cases) {
    test(`names the reason and its values for ${JSON.stringify(payload)}`, async () => {
      const { issues, code } = await issuesOf(payload)
      assert.equal(code, 'invalid_input')
      assert.deepEqual(issues, [issue])
    })
  }

  test('has the first of its issues as its sentence and reason', async () => {
    const { message, reason, issues } = await issuesOf({ name: '', count: 'x' })
    assert.equal(message, '"name" must not be empty.')
    assert.equal(reason, 'empty')
    assert.equal(issues.length, 2)
  })
})
