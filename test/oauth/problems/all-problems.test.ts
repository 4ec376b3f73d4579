import assert from 'node:assert/strict'
import { test } from 'node:test'
import { writeProblems, writeUnknownProblems } from '../../../src/oauth/problems/problem-store.ts'
import { TOKEN_PREFIXES } from '../../../src/platform/crypto/digest.ts'
import type { Trx } from '../../../src/storage/database.ts'
import { type TestApp, startApp } from '../../support/app.ts'
import {
  type Application,
  REDIRECT_URI,
  authorizeUrl,
  basic,
  newPkce,
  postForm,
  registerApplication,
} from '../../support/application.ts'
import { onEachEngine } from '../../support/engines.ts'
import { untilLockWait } from '../../support/lock-waits.ts'
import { type SignedInPerson, anonymous, signedInPerson } from '../../support/people.ts'

interface Refusal {
  client_id: string
  known: boolean
  at: number
  endpoint: string
  error: string
  hint: string
  details: { sent: string | null; expected: string | null }
  count: number
}

const DAY = 24 * 3_600_000
const unknown = (clientId: string): Application => ({ clientId, secret: undefined, redirectUri: REDIRECT_URI })

onEachEngine('refused requests of all applications together', (engine) => {
  const list = async (reader: SignedInPerson): Promise<Refusal[]> => {
    const answer = await reader.get('/oauth/clients/refusals')
    assert.equal(answer.statusCode, 200, answer.body)
    return answer.json<{ refusals: Refusal[] }>().refusals
  }
  const start = async (t: { after(work: () => Promise<void>): void }) => {
    const app = await startApp(t, { engine })
    return { app, reader: await signedInPerson(app, { permissions: ['oauth_clients:read'] }) }
  }
  const ask = (app: TestApp, application: Application, redirectUri = application.redirectUri) =>
    anonymous(app).get(authorizeUrl({ ...application, redirectUri }, newPkce()))

  test('have unregistered redirect URLs and unknown client ids, newest first, for those who may read', async (t) => {
    const { app, reader } = await start(t)
    const application = await registerApplication(app)
    await ask(app, application, 'https://elsewhere.example/cb?code=secret')
    app.clock.advance(1)
    await ask(app, unknown('old-client'), 'https://app.example/cb?x=1')
    app.clock.advance(1)
    for (let at = 0; at < 2; at++)
      await postForm(app, '/oauth/token', { grant_type: 'client_credentials', client_id: 'old-client' })
    const refusals = await list(reader)
    assert.deepEqual(
      refusals.map(({ client_id, known, endpoint, error, details, count }) => [
        client_id,
        known,
        endpoint,
        error,
        details.sent,
        count,
      ]),
      [
        ['old-client', false, '/oauth/token', 'invalid_client', 'no secret', 2],
        ['old-client', false, '/oauth/authorize', 'invalid_request', 'https://app.example/cb', 1],
        [application.clientId, true, '/oauth/authorize', 'invalid_request', 'https://elsewhere.example/cb', 1],
      ],
    )
    assert.match(refusals[0]?.hint ?? '', /^No application has this client_id/)
    const nobody = await signedInPerson(app)
    assert.equal((await nobody.get('/oauth/clients/refusals')).statusCode, 403)
    assert.equal((await anonymous(app).get('/oauth/clients/refusals')).statusCode, 401)
  })

  test('have 8 of one unknown id at most, and ids cut at 64 characters in printable ASCII', async (t) => {
    const { app, reader } = await start(t)
    for (let at = 0; at < 12; at++) {
      await ask(app, unknown('many'), `https://app.example/${at}`)
      app.clock.advance(1)
      if (at % 5 === 0) await list(reader)
    }
    const many = await list(reader)
    assert.deepEqual(
      many.map(({ details }) => details.sent),
      Array.from({ length: 8 }, (_, at) => `https://app.example/${11 - at}`),
    )
    await ask(app, unknown(`ü${'x'.repeat(500)}`))
    const refusals = await list(reader)
    assert.ok(refusals.some(({ client_id }) => client_id === `?${'x'.repeat(63)}`))
  })

  test('show no secret, code or token that was sent as a client_id, wherever it is in there', async (t) => {
    const { app, reader } = await start(t)
    const random = 's'.repeat(43)
    for (const prefix of TOKEN_PREFIXES) await ask(app, unknown(prefix + random))
    assert.deepEqual(
      new Set((await list(reader)).map(({ client_id }) => client_id)),
      new Set(TOKEN_PREFIXES.map((prefix) => `${prefix}...`)),
    )
    for (const around of [
      [' ', ''],
      ['"', '"'],
      ['my-application:', ''],
      ['my_application_', '&x=1'],
      ['%22', '%22'],
      ['client', ''],
    ])
      await ask(app, unknown(around.join(`cs_${random}`)))
    // Cut off when it was copied.
    await ask(app, unknown(`"cs_${'s'.repeat(20)}`))
    const refusals = await list(reader)
    assert.ok(!JSON.stringify(refusals).includes('sss'))
    const swapped = refusals.find(({ client_id }) => client_id === 'cs_...')
    assert.equal(swapped?.count, 8)
    assert.match(swapped.hint, /sends a secret as its client_id/)
    await ask(app, unknown('docs_viewer'))
    assert.match(
      (await list(reader)).find(({ client_id }) => client_id === 'docs_viewer')?.hint ?? '',
      /^No application/,
    )
  })

  test('have at most 8 of one unknown id also when all come within a second, and the others stay', async (t) => {
    const { app, reader } = await start(t)
    await ask(app, unknown('another'))
    for (let at = 0; at < 60; at++) {
      app.clock.advance(1)
      await ask(app, unknown('many'), `https://app.example/${at}`)
    }
    const refusals = await list(reader)
    assert.deepEqual(
      refusals.map(({ client_id, details }) => [client_id, details.sent]),
      [...Array.from({ length: 8 }, (_, at) => ['many', `https://app.example/${59 - at}`]), ['another', REDIRECT_URI]],
    )
  })

  test('have unknown clients that send credentials twice, which are limited as wrong ones are', async (t) => {
    const app = await startApp(t, { engine, config: { rateLimits: true } })
    const reader = await signedInPerson(app, { permissions: ['oauth_clients:read'] })
    const authorization = basic({ ...unknown('gone'), secret: 'cs_x' })
    const send = (fields: Record<string, string>) =>
      postForm(app, '/oauth/token', { grant_type: 'client_credentials', ...fields }, { authorization })
    assert.equal((await send({ client_secret: 'cs_x' })).json<{ error: string }>().error, 'invalid_request')
    app.clock.advance(1)
    assert.equal((await send({ client_id: 'other' })).json<{ error: string }>().error, 'invalid_request')
    assert.deepEqual(
      (await list(reader)).map(({ client_id, known, error, hint, details }) => [
        client_id,
        known,
        error,
        hint.slice(0, 34),
        details.sent,
      ]),
      [
        ['gone', false, 'invalid_request', 'No application has this client_id.', null],
        [
          'gone',
          false,
          'invalid_request',
          'No application has this client_id.',
          'client_secret_basic and client_secret_post',
        ],
      ],
    )
    for (let at = 2; at < 30; at++) assert.equal((await send({ client_secret: 'cs_x' })).statusCode, 400)
    assert.equal((await send({ client_secret: 'cs_x' })).statusCode, 429)
  })

  test('are 50, and a flood of invented ids pushes nothing out of the list of a real application', async (t) => {
    const { app, reader } = await start(t)
    const application = await registerApplication(app)
    for (let at = 0; at < 5; at++) await ask(app, application, `https://elsewhere.example/${at}`)
    for (let at = 0; at < 300; at++) {
      app.clock.advance(1)
      await ask(app, unknown(`invented-${at}`))
      if (at % 100 === 0) await list(reader)
    }
    const all = await list(reader)
    assert.deepEqual([all.length, all[0]?.client_id], [50, 'invented-299'])
    const own = await reader.get(`/oauth/clients/${application.clientId}/refusals`)
    assert.equal(own.json<{ refusals: unknown[] }>().refusals.length, 5)
    const { db } = app.services
    const rows = await db.read.selectFrom('oauth_unknown_refusals').select('id').execute()
    assert.equal(rows.length, 50)
    app.clock.advance(7 * DAY + 1)
    assert.deepEqual(await list(reader), [])
  })
})

test('replicas that write the same refusals do so in one order, so that none is undone by a deadlock', async (t) => {
  const app = await startApp(t, { engine: 'postgres' })
  const { clientId } = await registerApplication(app)
  const { db } = app.services
  const content = { endpoint: '/', error: 'e', description: 'd', hint: 'h', details: { sent: null, expected: null } }
  const row = (id: string) => ({ id, clientId: id, content, count: 1, at: 1 })
  const written = {
    oauth_refusals: (trx: Trx, ids: string[]) => writeProblems(trx, clientId, ids.map(row)),
    oauth_unknown_refusals: (trx: Trx, ids: string[]) => writeUnknownProblems(trx, ids.map(row)),
  }
  for (const table of ['oauth_refusals', 'oauth_unknown_refusals'] as const) {
    await db.transaction((trx) => written[table](trx, ['a', 'b']))
    const tries = { first: 0, second: 0 }
    let second: Promise<void> | undefined
    await db.transaction(async (trx) => {
      tries.first++
      const update = (id: string) => trx.updateTable(table).set({ count: 2 }).where('id', '=', id).execute()
      await update('a')
      second ??= db.transaction((other) => {
        tries.second++
        return written[table](other, ['b', 'a'])
      })
      await untilLockWait(db.read, () => tries.first > 1)
      await update('b')
    })
    await second
    assert.deepEqual(tries, { first: 1, second: 1 }, table)
  }
})
