import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Ajv } from 'ajv'
import addFormats from 'ajv-formats'
import type { Response } from 'light-my-request'
import { ERROR_CODES } from '../../../src/errors.ts'
import { isPermission, type Permission, PERMISSIONS } from '../../../src/vocabulary/permissions.ts'
import { ORIGIN, sharedApp } from '../../support/app.ts'
import { onMainEngine } from '../../support/engines.ts'
import { signedInPerson } from '../../support/people.ts'

interface Operation {
  security?: Record<string, unknown>[]
  'x-permission'?: string
  'x-permission-too'?: Permission
  responses: Record<string, { content?: Record<string, { schema: object }> }>
}

onMainEngine('the API as its OpenAPI document describes it', (engine) => {
  const shared = sharedApp({ engine })
  const ajv = new Ajv({ strict: false })
  addFormats.default(ajv)

  const operations = () => {
    const { paths } = shared().app.swagger() as unknown as { paths: Record<string, Record<string, Operation>> }
    return Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => ({
        path,
        method: method.toUpperCase(),
        operation,
      })),
    )
  }
  const sessionOperations = () =>
    operations().filter(({ operation }) => operation.security?.some((each) => 'session' in each))

  const send = (method: string, path: string, cookie?: string) =>
    shared().app.inject({
      method,
      url: path.replaceAll(/\{\w+\}/g, '00000000-0000-4000-8000-00000000dead'),
      headers: { origin: ORIGIN, ...(cookie === undefined ? {} : { cookie: `session=${cookie}` }) },
    })

  /** Fails if the response does not match its schema. Returns whether there was a schema. */
  const matchesSchema = (name: string, { responses }: Operation, response: Response): boolean => {
    const described = responses[String(response.statusCode)]
    assert.ok(described, `${name} answers ${response.statusCode}, which its contract does not mention`)
    const schema = Object.entries(described.content ?? {}).find(([type]) => type === 'application/json')?.[1].schema
    if (!schema || !String(response.headers['content-type']).includes('json')) return false
    const isValid = ajv.validate(schema, response.json())
    assert.ok(isValid, `${name}: ${ajv.errorsText()}`)
    return true
  }

  test('every operation has a summary and a tag', () => {
    assert.ok(operations().length > 80)
    for (const { path, method, operation } of operations()) {
      const { summary, tags } = operation as { summary?: string; tags?: string[] }
      assert.ok(summary && tags?.length === 1, `${method} ${path}`)
    }
  })

  test('every route that needs a session answers 401 without one, before any other check', async () => {
    assert.ok(sessionOperations().length > 10)
    for (const { path, method, operation } of sessionOperations()) {
      const response = await send(method, path)
      assert.equal(response.statusCode, 401, `${method} ${path}`)
      matchesSchema(`${method} ${path}`, operation, response)
    }
  })

  test('every route that needs a permission answers 403 with all permissions but that one', async () => {
    const people = new Map<string, string>()
    for (const { path, method, operation } of sessionOperations()) {
      const permission = operation['x-permission']
      if (permission === undefined) continue
      assert.ok(isPermission(permission))
      const cookie =
        people.get(permission) ??
        (await signedInPerson(shared(), { permissions: PERMISSIONS.filter((each) => each !== permission) })).cookie
      people.set(permission, cookie)
      const response = await send(method, path, cookie)
      assert.equal(response.statusCode, 403, `${method} ${path}`)
      assert.match(response.body, new RegExp(permission))
      matchesSchema(`${method} ${path}`, operation, response)
    }
    assert.ok(people.size > 10, 'routes declare which permission they need')
  })

  /** Requests that would be refused for what they carry: 400, 413 and 415. */
  const BAD_INPUT = [
    { headers: { 'content-type': 'application/json' }, payload: '{' },
    { headers: { 'content-type': 'application/json' }, payload: '{"unexpected":["field"]}' },
    { headers: { 'content-type': 'application/json' }, payload: JSON.stringify('x'.repeat(300 * 1024)) },
    { headers: { 'content-type': 'application/octet-stream' }, payload: 'x' },
    { headers: { 'content-type': 'application/json', 'content-encoding': 'gzip' }, payload: 'x' },
    { headers: {}, query: 'limit=none&limit=2&cursor=%00&wait=1&wait=2&krl=1&krl=2&format=none&from=none' },
  ]
  /** A form can carry its token (RFC 6750 section 2.2), so the body is read first. */
  const TOKEN_IN_FORM = '/oauth/userinfo'
  const guardedOperations = () =>
    operations().filter(
      ({ path, operation }) =>
        path !== TOKEN_IN_FORM && operation.security?.some((each) => 'session' in each || 'bearer' in each),
    )

  async function refusesFirst(
    expected: number,
    headers: Record<string, string>,
    chosen: ReturnType<typeof operations>,
  ) {
    for (const { path, method, operation } of chosen) {
      for (const { query = '', payload, headers: more } of BAD_INPUT) {
        const hasBody = payload !== undefined
        if (hasBody && method === 'GET') continue
        const response = await shared().app.inject({
          method: method as 'POST',
          url: `${path.replaceAll(/\{\w+\}/g, '%00')}?${query}`,
          headers: { origin: ORIGIN, ...headers, ...more },
          ...(hasBody ? { payload } : {}),
        })
        const what = `${method} ${path} with ${query || JSON.stringify(more)} ${payload?.slice(0, 30) ?? ''}`
        assert.equal(response.statusCode, expected, what)
        matchesSchema(what, operation, response)
      }
    }
  }

  test('every route with a guard answers 401 before it looks at its input', async () => {
    const guarded = guardedOperations()
    assert.ok(guarded.some(({ path }) => path === '/ssh/hosts/report'))
    await refusesFirst(401, {}, guarded)
    await refusesFirst(401, { authorization: 'Bearer ht_of_nobody' }, guarded)
  })

  test('every route that needs a permission answers 403 before it looks at its input', async () => {
    const { cookie } = await signedInPerson(shared(), {})
    const chosen = guardedOperations().filter(({ operation }) => operation['x-permission'] !== undefined)
    assert.ok(chosen.length > 50)
    await refusesFirst(403, { cookie: `session=${cookie}` }, chosen)
  })

  test('every route that needs a permission accepts a user with exactly that one', async () => {
    for (const { path, method, operation } of sessionOperations()) {
      const permission = operation['x-permission']
      if (permission === undefined || !isPermission(permission)) continue
      const { cookie } = await signedInPerson(shared(), {
        permissions: [
          permission,
          ...(operation['x-permission-too'] === undefined ? [] : [operation['x-permission-too']]),
        ],
      })
      const response = await send(method, path, cookie)
      assert.ok(
        ![401, 403].includes(response.statusCode) && response.statusCode < 500,
        `${method} ${path}: ${response.statusCode}`,
      )
      matchesSchema(`${method} ${path}`, operation, response)
    }
  })

  test('every GET route without path parameters answers an administrator according to its schema', async () => {
    const { cookie } = await signedInPerson(shared(), { admin: true })
    let compared = 0
    for (const { path, method, operation } of operations()) {
      if (method !== 'GET' || path.includes('{') || path.endsWith('/stream') || path.startsWith('/oauth/')) continue
      const response = await send(method, path, cookie)
      assert.ok(response.statusCode < 500, `${path}: ${response.statusCode}`)
      if (matchesSchema(`GET ${path}`, operation, response)) compared++
    }
    assert.ok(compared > 20, `${compared} answers were compared`)
  })

  test('the codes of errors are a closed list, which has every code that a refusal can have', async () => {
    const { components } = (await shared().app.inject('/openapi.json')).json<{
      components: { schemas: { Error: { properties: { code: { enum: string[] } } } } }
    }>()
    const codes = components.schemas.Error.properties.code.enum
    assert.deepEqual(codes.toSorted(), ERROR_CODES.toSorted())
    for (const code of ['other_user', 'fresh_sign_in_needed', 'email_domain', 'email_unconfirmed'])
      assert.ok(codes.includes(code), code)
  })

  test('/openapi.json is an OpenAPI 3.1 document, and /docs leads to it', async () => {
    const document = (await send('GET', '/openapi.json')).json()
    assert.equal(document.openapi, '3.1.0')
    assert.ok(document.components.schemas.User)
    assert.equal((await send('GET', '/docs')).headers.location, '/openapi.json')
  })
})
