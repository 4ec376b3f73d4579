import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fastify } from 'fastify'
import { sql } from 'kysely'
import { AppError, refuse } from '../../../src/errors.ts'
import { latchkeyFormat, sendError } from '../../../src/platform/http/errors.ts'
import { createLogger, levelOf } from '../../../src/platform/http/log.ts'
import { requestErrors } from '../../../src/platform/http/request-errors.ts'
import { limitErrors } from '../../../src/platform/limits/limit-errors.ts'
import { SkippedStatement, StorageFailure } from '../../../src/storage/failure.ts'
import { startApp } from '../../support/app.ts'
import { getTokens, registerApplication } from '../../support/application.ts'
import { onEachEngine } from '../../support/engines.ts'
import { anonymous, signedInPerson } from '../../support/people.ts'

const linesOf = (text: string) =>
  text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>)

onEachEngine('a log line', (engine) => {
  test('has the request id, the user and the route, but neither the URL nor a secret', async (t) => {
    const app = await startApp(t, { engine, logLevel: 'trace' })
    const person = await signedInPerson(app, { email: 'ada@example.com' })
    const tokens = await getTokens(app, person, await registerApplication(app))
    const answer = await person.get('/api/auth/sessions?cursor=in-the-query')
    const bearer = { authorization: `Bearer ${tokens.access_token}` }
    await anonymous(app).get('/oauth/userinfo', undefined, bearer)
    await anonymous(app).post('/api/auth/login', { email: 'ada@example.com', password: 'never to be logged' })

    const lines = linesOf(app.logged())
    const line = lines.find(({ requestId }) => requestId === answer.headers['x-request-id'])
    assert.ok(line)
    assert.deepEqual(
      [line['user'], line['method'], line['route'], line['msg']],
      [person.user.id, 'GET', '/api/auth/sessions', 'request'],
    )
    assert.equal(typeof line['ms'], 'number')
    const secrets = [person.cookie, tokens.access_token, tokens.refresh_token, 'never to be logged', 'in-the-query']
    for (const secret of secrets) assert.ok(secret !== undefined && !app.logged().includes(secret), secret)
  })
})

onEachEngine('an error in the log', (engine) => {
  test('has its type, code and source lines, but no message, stack, SQL or absolute path', async (t) => {
    const app = await startApp(t, { engine, logLevel: 'trace' })
    const person = await signedInPerson(app)
    await app.services.db.transaction((trx) => sql`drop table notifications`.execute(trx))
    const answer = await person.get('/api/notifications')
    assert.equal(answer.statusCode, 500)
    const line = linesOf(app.logged()).find(({ msg }) => msg === 'A request failed.')
    assert.deepEqual([line?.['level'], line?.['requestId']], ['error', answer.headers['x-request-id']])
    const { err } = line as unknown as { err: { at: string[]; type: string } }
    assert.deepEqual(Object.keys(err).toSorted(), ['at', 'errorCode', 'type'])
    assert.ok(
      err.at.some((source) => /^src\/[\w/-]+\.ts:\d+$/.test(source)),
      err.at.join(', '),
    )
    assert.doesNotMatch(app.logged(), /select |no such table|does not exist|\\n {4}at /i)
    assert.ok(!app.logged().includes(process.cwd()))
  })
})

test('a statement that was skipped is logged with the beginning of the one that failed, and why that did', () => {
  const lines: string[] = []
  const log = createLogger('trace', { write: (line) => void lines.push(line) })
  const statement = `insert into "users" ("id") values ${'($1), '.repeat(500)}`
  const driver = Object.assign(new Error('Key (email)=(hunter2) exists.'), { code: '23505' })
  log.error({ err: new SkippedStatement(statement, new StorageFailure('duplicate', driver)) }, 'x')
  const { err } = JSON.parse(lines.join('')) as { err: { message: string; cause: object } }
  assert.match(err.message, /^A statement before this one failed: insert into "users" \("id"\) /)
  assert.ok(err.message.length < 200)
  assert.partialDeepStrictEqual(err.cause, { message: 'duplicate', cause: { errorCode: '23505' } })
  assert.doesNotMatch(lines.join(''), /hunter2/)
})

test('a secret in an error or in its causes is not logged', () => {
  const lines: string[] = []
  const log = createLogger('trace', { write: (line) => void lines.push(line) })
  const secret = 'hunter2'
  const malformed = ((): unknown => {
    try {
      return JSON.parse(`{"password":${secret}}`)
    } catch (error) {
      return error
    }
  })()
  assert.match(String(malformed), /hunter2/, 'the JavaScript engine repeats the text that it could not parse')
  const driver = Object.assign(new Error(`Key (email)=(${secret}) exists.\n    at ${secret}`), { code: '23505' })
  const refusal = new AppError('unavailable', 'The object store is briefly unavailable.', { cause: driver })
  for (const err of [malformed, driver, refusal, new Error('outer', { cause: malformed }), secret])
    log.error({ err }, 'x')
  assert.doesNotMatch(lines.join(''), /hunter2/)
  const logged = lines.map((line) => (JSON.parse(line) as { err: Record<string, unknown> }).err)
  assert.deepEqual(
    logged.map(({ type }) => type),
    ['SyntaxError', 'Error', 'AppError', 'Error', 'string'],
  )
  assert.equal(logged[1]?.['errorCode'], '23505')
  assert.equal(logged[2]?.['message'], 'The object store is briefly unavailable.', 'our own message is kept')
  assert.equal((logged[2]?.['cause'] as { errorCode: string } | undefined)?.errorCode, '23505')
})

test('only a failure of the database is logged as an unavailable database', async (t) => {
  const lines: string[] = []
  const app = fastify({ loggerInstance: createLogger('info', { write: (line) => void lines.push(line) }) })
  t.after(() => app.close())
  app.setErrorHandler((error, request, reply) => sendError(request, reply, error, latchkeyFormat))
  app.get('/busy', () => refuse(limitErrors.sign_in_queue_full({ retryAfter: 10 })))
  app.get('/away', () => Promise.reject(new StorageFailure('unavailable', new Error('ECONNREFUSED'))))
  app.get('/behind', () =>
    refuse(requestErrors.briefly_unavailable({ cause: new StorageFailure('unavailable', undefined) })),
  )
  for (const url of ['/busy', '/away', '/behind']) {
    lines.length = 0
    assert.equal((await app.inject({ url })).statusCode, 503)
    const errors = linesOf(lines.join('')).filter(({ err }) => err !== undefined)
    assert.deepEqual(
      errors.map(({ level, msg }) => [level, msg]),
      [['warn', url === '/busy' ? 'A request was refused with 503.' : 'The database is unavailable.']],
    )
  }
})

test('the log line of a request is a warning for 503 and an error for any other 5xx', () => {
  assert.deepEqual([200, 404, 499, 500, 502, 503].map(levelOf), ['info', 'info', 'info', 'error', 'error', 'warn'])
})
