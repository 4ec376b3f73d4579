import assert from 'node:assert/strict'
import { createLocalJWKSet, type JSONWebKeySet, jwtVerify, type JWTPayload } from 'jose'
import type { Response } from 'light-my-request'
import type { CreateClientRequest } from '../../../src/oauth/administration/create-client.ts'
import { SIGNAL_TYPES, type SignalName } from '../../../src/oauth/signals/signal-events.ts'
import { POLL } from '../../../src/oauth/signals/stream.ts'
import { ORIGIN, type TestApp } from '../../support/app.ts'
import {
  ALL_SCOPES,
  type Application,
  basic,
  getTokens,
  postForm,
  registerApplication,
} from '../../support/application.ts'
import { anonymous, type Person, signedInPerson, type SignedInPerson } from '../../support/people.ts'

export const SIGNAL_SCOPES = ['ssf.read', 'ssf.manage']

/** An application with a stream of shared signals, or about to make one. */
export interface Receiver extends Application {
  token: string
}

export async function newReceiver(app: TestApp, change: Partial<CreateClientRequest> = {}): Promise<Receiver> {
  const application = await registerApplication(app, {
    scopes: [...ALL_SCOPES, 'groups', ...SIGNAL_SCOPES],
    ...change,
  })
  return { ...application, token: await receiverToken(app, application) }
}

export async function receiverToken(app: TestApp, application: Application, scope = 'ssf.read ssf.manage') {
  const form = { grant_type: 'client_credentials', scope }
  const answer = await postForm(app, '/oauth/token', form, { authorization: basic(application) })
  assert.equal(answer.statusCode, 200, answer.body)
  return answer.json<{ access_token: string }>().access_token
}

type Method = 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE'

export const call = (
  { app }: Pick<TestApp, 'app'>,
  token: string | undefined,
  method: Method,
  url: string,
  payload?: object | string,
): Promise<Response> =>
  app.inject({
    method,
    url,
    headers: {
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...(payload === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(payload === undefined ? {} : { payload }),
  })

export interface Configuration {
  stream_id: string
  iss: string
  aud: string
  events_supported: string[]
  events_requested?: string[]
  events_delivered: string[]
  delivery: { method: string; endpoint_url: string }
  description?: string
}

export async function createStream(app: TestApp, { token }: Receiver, body: object = {}): Promise<Configuration> {
  const answer = await call(app, token, 'POST', '/ssf/stream', body)
  assert.equal(answer.statusCode, 201, answer.body)
  return answer.json<Configuration>()
}

/** A receiver with a stream that it polls. */
export async function newStream(app: TestApp, change: Partial<CreateClientRequest> = {}) {
  const receiver = await newReceiver(app, change)
  const stream = await createStream(app, receiver, { delivery: { method: POLL } })
  return { receiver, stream }
}

export interface Fetched {
  sets: Record<string, string>
  moreAvailable: boolean
}

export async function fetchSets(
  app: TestApp,
  { token }: Receiver,
  stream: Configuration,
  body: object = {},
): Promise<Fetched> {
  const { pathname } = new URL(stream.delivery.endpoint_url)
  const answer = await call(app, token, 'POST', pathname, { returnImmediately: true, ...body })
  assert.equal(answer.statusCode, 200, answer.body)
  return answer.json<Fetched>()
}

export interface VerifiedSet extends JWTPayload {
  txn: string
  sub_id: Record<string, unknown>
  events: Record<string, Record<string, unknown>>
}

/** Verifies with the published keys, as a receiver would. */
export async function verifySet(app: TestApp, set: string, audience: string): Promise<VerifiedSet> {
  const keys = (await anonymous(app).get('/.well-known/jwks.json')).json<JSONWebKeySet>()
  const { payload, protectedHeader } = await jwtVerify<VerifiedSet>(set, createLocalJWKSet(keys), {
    issuer: app.services.config.baseUrl,
    audience,
    typ: 'secevent+jwt',
    algorithms: ['RS256'],
    currentDate: new Date(app.clock.now()),
  })
  assert.equal(typeof protectedHeader.kid, 'string')
  return payload
}

/** Fetches all that waits, acknowledges it, and returns what was said: name of the event, subject, members of the event. */
export async function readEvents(app: TestApp, receiver: Receiver, stream: Configuration) {
  const { sets } = await fetchSets(app, receiver, stream)
  await fetchSets(app, receiver, stream, { ack: Object.keys(sets), maxEvents: 0 })
  return Promise.all(
    Object.entries(sets).map(async ([jti, set]) => {
      const payload = await verifySet(app, set, receiver.clientId)
      assert.equal(payload.jti, jti)
      assert.equal('sub' in payload || 'exp' in payload, false)
      const [[uri, event] = ['', {}], ...others] = Object.entries(payload.events)
      assert.deepEqual(others, [], 'one event each')
      return { name: nameOf(uri), subject: payload.sub_id, event, txn: payload.txn, payload }
    }),
  )
}

function nameOf(uri: string): SignalName {
  const found = Object.entries(SIGNAL_TYPES).find(([, type]) => type.uri === uri)
  assert.ok(found, uri)
  return found[0] as SignalName
}

/** A person as streams name them by default. */
export const issSub = ({ user }: SignedInPerson) => ({ format: 'iss_sub', iss: ORIGIN, sub: user.id })

/** An application with a stream, a person who uses it, and an administrator. */
export async function newAudience(app: TestApp, { password }: { password?: string } = {}) {
  const { receiver, stream } = await newStream(app)
  const admin = await signedInPerson(app, { admin: true })
  const person = await signedInPerson(app, password === undefined ? {} : { password })
  await consentTo(app, person, receiver)
  return { receiver, stream, admin, person }
}

/** Lets a person consent to an application. */
export const consentTo = (app: TestApp, person: Person, application: Application, scope = 'openid groups') =>
  getTokens(app, person, application, { scope })
