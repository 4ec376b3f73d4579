import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApp, type TestApp } from '../../support/app.ts'
import {
  type Application,
  authorizeUrl,
  newPkce,
  postForm,
  registerApplication,
  REDIRECT_URI,
} from '../../support/application.ts'
import { onEachEngine } from '../../support/engines.ts'
import { anonymous, signedInPerson, type SignedInPerson } from '../../support/people.ts'

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

  test('have 8 of one unknown id at most, ids cut at 64 characters in printable ASCII, and no secret', async (t) => {
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
    await ask(app, unknown(`cs_${'s'.repeat(43)}`))
    const refusals = await list(reader)
    assert.ok(refusals.some(({ client_id }) => client_id === `?${'x'.repeat(63)}`))
    const swapped = refusals.find(({ client_id }) => client_id === 'cs_...')
    assert.match(swapped?.hint ?? '', /sends a secret as its client_id/)
    assert.ok(!JSON.stringify(refusals).includes('sss'))
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
