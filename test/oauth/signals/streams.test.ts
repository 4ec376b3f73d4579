import assert from 'node:assert/strict'
import { test } from 'node:test'
import { EVENTS_SUPPORTED, SIGNAL_TYPES } from '../../../src/oauth/signals/signal-events.ts'
import { ORIGIN, sharedApp, startApp } from '../../support/app.ts'
import { getTokens, registerApplication } from '../../support/application.ts'
import { onEachEngine } from '../../support/engines.ts'
import { anonymous, signedInPerson } from '../../support/people.ts'
import { call, type Configuration, createStream, newReceiver, newStream, receiverToken } from './receiver.ts'

const PUSH = 'urn:ietf:rfc:8935'
const POLL = 'urn:ietf:rfc:8936'
const REVOKED = SIGNAL_TYPES['session-revoked'].uri
const pushTo = (endpoint_url: string, more: object = {}) => ({ delivery: { method: PUSH, endpoint_url, ...more } })

onEachEngine('streams of shared signals', (engine) => {
  const app = sharedApp({ engine })

  test('the metadata of the transmitter says where everything is', async () => {
    const answer = await anonymous(app()).get('/.well-known/ssf-configuration')
    assert.equal(answer.statusCode, 200)
    assert.match(answer.headers['content-type'] as string, /^application\/json/)
    assert.deepEqual(answer.json(), {
      spec_version: '1_0',
      issuer: ORIGIN,
      jwks_uri: `${ORIGIN}/.well-known/jwks.json`,
      delivery_methods_supported: [PUSH, POLL],
      configuration_endpoint: `${ORIGIN}/ssf/stream`,
      status_endpoint: `${ORIGIN}/ssf/status`,
      verification_endpoint: `${ORIGIN}/ssf/verify`,
      critical_subject_members: ['user'],
      authorization_schemes: [{ spec_urn: 'urn:ietf:rfc:6749' }],
      default_subjects: 'ALL',
    })
  })

  test('a stream is created, read, changed, replaced and deleted', async () => {
    const receiver = await newReceiver(app())
    assert.deepEqual((await call(app(), receiver.token, 'GET', '/ssf/stream')).json(), [])
    const made = await createStream(app(), receiver, {
      events_requested: [REVOKED, 'urn:unknown'],
      description: 'Mine',
    })
    const { stream_id: id } = made
    assert.deepEqual(made, {
      stream_id: id,
      iss: ORIGIN,
      aud: receiver.clientId,
      events_supported: EVENTS_SUPPORTED,
      events_requested: [REVOKED, 'urn:unknown'],
      events_delivered: [REVOKED],
      delivery: { method: POLL, endpoint_url: `${ORIGIN}/ssf/poll/${id}` },
      min_verification_interval: 2,
      description: 'Mine',
    })
    assert.equal((await call(app(), receiver.token, 'POST', '/ssf/stream', {})).statusCode, 409)
    assert.deepEqual((await call(app(), receiver.token, 'GET', '/ssf/stream')).json(), [made])
    const read = await call(app(), receiver.token, 'GET', `/ssf/stream?stream_id=${id}`)
    assert.deepEqual(read.json(), made)
    assert.equal(read.headers['cache-control'], 'no-store')

    const push = pushTo('https://receiver.example/events')
    const changed = await call(app(), receiver.token, 'PATCH', '/ssf/stream', { ...made, ...push })
    assert.equal(changed.statusCode, 200, changed.body)
    assert.deepEqual(changed.json(), { ...made, ...push })
    const replaced = await call(app(), receiver.token, 'PUT', '/ssf/stream', { stream_id: id, ...push })
    const { events_requested: _requested, description: _description, ...rest } = made
    assert.deepEqual(replaced.json(), { ...rest, ...push, events_delivered: EVENTS_SUPPORTED })

    const deleted = await call(app(), receiver.token, 'DELETE', `/ssf/stream?stream_id=${id}`)
    assert.deepEqual([deleted.statusCode, deleted.body], [204, ''])
    assert.equal((await call(app(), receiver.token, 'GET', `/ssf/stream?stream_id=${id}`)).statusCode, 404)
    const next = await createStream(app(), receiver)
    assert.notEqual(next.stream_id, id)
  })

  test('of two requests that create a stream at once, one is refused', async () => {
    const receiver = await newReceiver(app())
    const answers = await Promise.all([1, 2, 3].map(() => call(app(), receiver.token, 'POST', '/ssf/stream', {})))
    assert.deepEqual(answers.map(({ statusCode }) => `${statusCode}`).toSorted(), ['201', '409', '409'])
  })

  test('reading needs ssf.read, changes and verification need ssf.manage, and a missing or dead token is 401', async () => {
    const receiver = await newReceiver(app())
    const { stream_id } = await createStream(app(), receiver)
    const reading = await receiverToken(app(), receiver, 'ssf.read')
    const managing = await receiverToken(app(), receiver, 'ssf.manage')
    const reads = [
      ['GET', '/ssf/stream'],
      ['GET', `/ssf/status?stream_id=${stream_id}`],
      ['POST', `/ssf/poll/${stream_id}`, { returnImmediately: true }],
    ] as const
    const changes = [
      ['POST', '/ssf/stream', {}],
      ['PATCH', '/ssf/stream', { stream_id }],
      ['PUT', '/ssf/stream', { stream_id }],
      ['POST', '/ssf/status', { stream_id, status: 'paused' }],
      ['POST', '/ssf/verify', { stream_id }],
      ['DELETE', `/ssf/stream?stream_id=${stream_id}`],
    ] as const
    for (const [requests, right, wrong, scope] of [
      [reads, reading, managing, 'ssf.read'],
      [changes, managing, reading, 'ssf.manage'],
    ] as const)
      for (const [method, url, body] of requests) {
        const none = await call(app(), undefined, method, url, body)
        assert.deepEqual([none.statusCode, none.headers['www-authenticate']], [401, 'Bearer'], url)
        const dead = await call(app(), 'at_nonsense', method, url, body)
        assert.deepEqual(
          [dead.statusCode, dead.headers['www-authenticate']],
          [401, 'Bearer error="invalid_token"'],
          url,
        )
        const refused = await call(app(), wrong, method, url, body)
        assert.equal(refused.statusCode, 403, url)
        assert.equal(refused.headers['www-authenticate'], `Bearer error="insufficient_scope", scope="${scope}"`)
        const allowed = await call(app(), right, method, url, body)
        assert.ok([200, 204, 409].includes(allowed.statusCode), `${url} ${allowed.body}`)
      }
  })

  test('a token in the URL counts for nothing', async () => {
    const receiver = await newReceiver(app())
    const answer = await call(app(), undefined, 'GET', `/ssf/stream?access_token=${receiver.token}`)
    assert.equal(answer.statusCode, 401)
  })

  test('the stream of another client is as if it were not there, and nothing of it changes', async () => {
    const { receiver, stream } = await newStream(app())
    const other = await newReceiver(app())
    const { stream_id } = stream
    for (const [method, url, body] of [
      ['GET', `/ssf/stream?stream_id=${stream_id}`],
      ['PATCH', '/ssf/stream', { stream_id, description: 'theirs' }],
      ['PUT', '/ssf/stream', { stream_id }],
      ['DELETE', `/ssf/stream?stream_id=${stream_id}`],
      ['GET', `/ssf/status?stream_id=${stream_id}`],
      ['POST', '/ssf/status', { stream_id, status: 'disabled' }],
      ['POST', '/ssf/verify', { stream_id }],
      ['POST', `/ssf/poll/${stream_id}`, { returnImmediately: true }],
    ] as const) {
      for (const alsoOwn of [false, true]) {
        if (alsoOwn && url.includes('poll')) continue
        const answer = await call(app(), other.token, method, url, body)
        assert.equal(answer.statusCode, 404, `${method} ${url}`)
      }
    }
    await createStream(app(), other)
    assert.equal((await call(app(), other.token, 'GET', `/ssf/stream?stream_id=${stream_id}`)).statusCode, 404)
    assert.deepEqual((await call(app(), receiver.token, 'GET', '/ssf/stream')).json(), [stream])
  })

  test('what the transmitter supplies may be repeated and must be right', async () => {
    const { receiver, stream } = await newStream(app())
    const { stream_id } = stream
    const send = (body: object) => call(app(), receiver.token, 'PATCH', '/ssf/stream', { stream_id, ...body })
    assert.equal((await send({ ...stream, events_supported: stream.events_supported.toReversed() })).statusCode, 200)
    assert.equal((await send({ aud: [receiver.clientId], unknown: 1 })).statusCode, 200)
    for (const wrong of [
      { iss: 'https://other.example' },
      { aud: 'other' },
      { events_supported: [] },
      { events_delivered: [REVOKED] },
      { delivery: { method: POLL, endpoint_url: 'https://receiver.example/poll' } },
      { delivery: { method: 'urn:other' } },
      { delivery: { method: PUSH } },
      { events_requested: 'all' },
      { description: 1 },
    ])
      assert.equal((await send(wrong)).statusCode, 400, JSON.stringify(wrong))
    assert.equal((await call(app(), receiver.token, 'PATCH', '/ssf/stream', {})).statusCode, 400)
  })

  test('a push address is public, and its header is one line that is never shown', async () => {
    const receiver = await newReceiver(app())
    const send = (body: object) => call(app(), receiver.token, 'POST', '/ssf/stream', body)
    for (const url of [
      'https://127.0.0.1/events',
      'https://[::1]/events',
      'https://[::ffff:10.0.0.1]/events',
      'https://10.0.0.1/events',
      'https://169.254.169.254/latest',
      'https://localhost/events',
    ]) {
      const answer = await send(pushTo(url))
      assert.deepEqual([answer.statusCode, answer.json<{ code: string }>().code], [400, 'address_not_allowed'], url)
    }
    for (const url of [
      'http://receiver.example/events',
      'ftp://receiver.example/',
      'receiver.example',
      'https://u:p@receiver.example/',
    ])
      assert.equal((await send(pushTo(url))).statusCode, 400, url)
    for (const authorization_header of ['Bearer x\r\nX-Evil: 1', 'Bearer x\n', ' Bearer', 'Bearer \u00fc', ''])
      assert.equal(
        (await send(pushTo('https://receiver.example/events', { authorization_header }))).statusCode,
        400,
        JSON.stringify(authorization_header),
      )
    const secret = 'Bearer very-secret'
    const made = await send(pushTo('https://receiver.example/events', { authorization_header: secret }))
    assert.equal(made.statusCode, 201)
    assert.equal(made.body.includes('very-secret'), false)
    const rows = await app().services.db.read.selectFrom('signal_streams').selectAll().execute()
    assert.equal(JSON.stringify(rows).includes('very-secret'), false)
    assert.equal(app().logged().includes('very-secret'), false)
    // A header that was meant for one address is not sent to another one.
    const { stream_id } = made.json<Configuration>()
    await call(app(), receiver.token, 'PATCH', '/ssf/stream', { stream_id, ...pushTo('https://other.example/events') })
    const [row] = await app()
      .services.db.read.selectFrom('signal_streams')
      .select('authorization_sealed')
      .where('id', '=', stream_id)
      .execute()
    assert.equal(row?.authorization_sealed, null)
  })

  test('the first stream makes the RSA key, which changes nothing that is said of ID tokens', async (t) => {
    const fresh = await startApp(t, { engine })
    const discovery = async () =>
      (await anonymous(fresh).get('/.well-known/openid-configuration')).json<Record<string, string[]>>()
    const keys = async () =>
      (await anonymous(fresh).get('/.well-known/jwks.json'))
        .json<{ keys: { alg: string }[] }>()
        .keys.map(({ alg }) => alg)
    assert.deepEqual(await keys(), ['ES256'])
    const receiver = await newReceiver(fresh)
    await createStream(fresh, receiver)
    assert.deepEqual(await keys(), ['ES256', 'RS256'])
    assert.deepEqual((await discovery())['id_token_signing_alg_values_supported'], ['ES256'])
    const admin = await signedInPerson(fresh, { admin: true })
    await admin.patch(`/oauth/clients/${receiver.clientId}`, { id_token_signed_response_alg: 'RS256' })
    assert.deepEqual((await discovery())['id_token_signing_alg_values_supported'], ['ES256', 'RS256'])
    assert.deepEqual(await keys(), ['ES256', 'RS256'])
  })

  test('a person’s token opens nothing here, and nobody can grant the scopes', async () => {
    const person = await signedInPerson(app())
    const application = await registerApplication(app(), {
      scopes: ['openid', 'offline_access', 'ssf.read', 'ssf.manage'],
    })
    const { access_token } = await getTokens(app(), person, application)
    assert.equal((await call(app(), access_token, 'GET', '/ssf/stream')).statusCode, 401)
    await assert.rejects(getTokens(app(), person, application, { scope: 'openid ssf.read' }), /invalid_scope/)
  })
})
