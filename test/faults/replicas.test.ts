import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import type { PublicKeyCredentialCreationOptionsJSON } from '@simplewebauthn/server'
import type { RequestOptions } from '../../src/passkeys/webauthn-contracts.ts'
import { type EventStream, openEventStream } from '../notifications/event-stream.ts'
import { newPublicKey } from '../ssh/public-keys.ts'
import { ORIGIN } from '../support/app.ts'
import { newPkce, REDIRECT_URI } from '../support/application.ts'
import { createAuthenticator } from '../support/authenticator.ts'
import { createPlace } from '../support/engines.ts'
import { startReplica, until } from '../support/replicas.ts'
import { startRoundRobin } from '../support/round-robin.ts'
import { assertWithin } from '../support/speed.ts'
import { ask, type Asked, sessionOf } from '../support/visitor.ts'
import { figure, rounds } from './rounds.ts'
import { createWorld, credentialsOf, ENVIRONMENT, passwordOf, type World } from './world.ts'

const PART = 'Copies'
const CUT_OFF_WITHIN_MS = 1000

/** What somebody holds who went all the way. */
interface Holdings {
  userId: string
  cookies: string[]
  access: string
  refresh: string
  serial: string
  streams: EventStream[]
}

/** Asks another replica each time, so that nothing that one of them knows helps the next step. */
const takingTurns = (addresses: string[], first: number) => {
  let turn = first
  return async (status: number, method: string, path: string, asked?: Asked) => {
    const address = addresses[turn++ % addresses.length] ?? ''
    const answer = await ask(address, method, path, asked)
    assert.equal(answer.status, status, `${method} ${path}: ${answer.body}`)
    return answer
  }
}

type Demand = ReturnType<typeof takingTurns>

async function goAllTheWay(
  world: World,
  demand: Demand,
  email: string,
  openStreams: (cookie: string) => Promise<EventStream[]>,
): Promise<Holdings> {
  const json = { email, password: passwordOf(email, 0) }
  const registered = await demand(201, 'POST', '/api/auth/register', { json })
  const userId = registered.json<{ user: { id: string } }>().user.id
  const cookie = sessionOf(await demand(200, 'POST', '/api/auth/login', { json }))
  await demand(200, 'GET', '/api/auth/me', { cookie })
  const streams = await openStreams(cookie)

  const tokens = await authorize(world, demand, cookie)
  const authorization = { authorization: `Bearer ${tokens.access_token}` }
  const info = await demand(200, 'GET', '/oauth/userinfo', { headers: authorization })
  assert.equal(info.json()['sub'], userId)
  const form = { ...credentialsOf(world), grant_type: 'refresh_token', refresh_token: tokens.refresh_token }
  const refreshed = (await demand(200, 'POST', '/oauth/token', { form })).json<Tokens>()
  for (const token of [tokens.access_token, refreshed.access_token, refreshed.refresh_token]) {
    const looked = await demand(200, 'POST', '/oauth/introspect', { form: { ...credentialsOf(world), token } })
    assert.equal(looked.json()['active'], true)
  }

  const passkeyCookie = await usePasskey(demand, cookie)
  await demand(200, 'POST', `/api/admin/users/${userId}/roles`, {
    cookie: world.admin.cookie,
    json: { roleId: world.staffRole },
  })
  const key = await demand(201, 'POST', '/api/ssh/keys', {
    cookie,
    json: { name: 'laptop', publicKey: newPublicKey() },
  })
  const savedKeyId = key.json<{ key: { id: string } }>().key.id
  const issued = await demand(201, 'POST', '/api/ssh/certs/issue', { cookie, json: { savedKeyId } })
  const { serial } = issued.json<{ serial: string }>()
  for (const stream of streams) await hear(stream, 'ssh.cert_issued')
  return {
    userId,
    cookies: [sessionOf(registered), cookie, passkeyCookie],
    access: refreshed.access_token,
    refresh: refreshed.refresh_token,
    serial,
    streams,
  }
}

interface Tokens {
  access_token: string
  refresh_token: string
}

async function authorize(world: World, demand: Demand, cookie: string): Promise<Tokens> {
  const { verifier, challenge } = newPkce()
  const query = new URLSearchParams({
    response_type: 'code',
    client_id: world.client.client_id,
    redirect_uri: REDIRECT_URI,
    scope: 'openid email offline_access',
    code_challenge: challenge,
    code_challenge_method: 'S256',
  })
  const asked = await demand(302, 'GET', `/oauth/authorize?${query.toString()}`, { cookie })
  const page = new URL(asked.headers.get('location') ?? '')
  assert.equal(page.pathname, '/consent')
  await demand(200, 'GET', `/oauth/details${page.search}`, { cookie })
  const json = { ...Object.fromEntries(page.searchParams), approve: true }
  const approved = await demand(200, 'POST', '/oauth/approve', { cookie, json })
  const form = {
    ...credentialsOf(world),
    grant_type: 'authorization_code',
    code: new URL(approved.json<{ redirectTo: string }>().redirectTo).searchParams.get('code') ?? '',
    redirect_uri: REDIRECT_URI,
    code_verifier: verifier,
  }
  return (await demand(200, 'POST', '/oauth/token', { form })).json()
}

/** Registers one and signs in with it; answers the new session. */
async function usePasskey(demand: Demand, cookie: string): Promise<string> {
  const authenticator = createAuthenticator({ origin: ORIGIN })
  const creation = await demand(200, 'POST', '/api/passkeys/register/options', { cookie })
  const made = authenticator.register(creation.json<PublicKeyCredentialCreationOptionsJSON>())
  await demand(200, 'POST', '/api/passkeys/register/verify', { cookie, json: { response: made } })
  const options = (await demand(200, 'POST', '/api/passkeys/login/options', { json: {} })).json<RequestOptions>()
  const json = { challengeId: options.challengeId, response: authenticator.authenticate(options) }
  return sessionOf(await demand(200, 'POST', '/api/passkeys/login/verify', { json }))
}

async function hear(stream: EventStream, type: string): Promise<void> {
  while ((await stream.notification()).type !== type);
}

/** How long after its answer the switch-off held on this replica, in all that lets a person in. */
async function timeOfCutOff(world: World, address: string, held: Holdings, since: number): Promise<number> {
  const isOut = async () => {
    for (const cookie of held.cookies)
      if ((await ask(address, 'GET', '/api/auth/me', { cookie })).status !== 401) return false
    const headers = { authorization: `Bearer ${held.access}` }
    if ((await ask(address, 'GET', '/oauth/userinfo', { headers })).status !== 401) return false
    for (const token of [held.access, held.refresh]) {
      const looked = await ask(address, 'POST', '/oauth/introspect', { form: { ...credentialsOf(world), token } })
      if (looked.json()['active'] !== false) return false
    }
    const krl = await ask(address, 'GET', '/ssh/krl')
    return krl.json<{ revoked: { serial: string }[] }>().revoked.some(({ serial }) => serial === held.serial)
  }
  await until(isOut)
  return performance.now() - since
}

async function startThree(t: TestContext) {
  const place = await createPlace('postgres')
  t.after(place.remove)
  const start = () => startReplica(t, place, { environment: ENVIRONMENT })
  const replicas = await Promise.all([start(), start(), start()])
  const proxy = await startRoundRobin(
    t,
    replicas.map(({ port }) => port),
  )
  return { replicas, proxy, world: await createWorld(proxy.address) }
}

test('three processes behind a round-robin proxy serve one person, and one switch turns them off on all three', async (t) => {
  const { replicas, proxy, world } = await startThree(t)
  const addresses = replicas.map(({ address }) => address)
  const openStreams = async (cookie: string) => {
    const opened = await Promise.all([...addresses, proxy.address].map((each) => openEventStream(each, { cookie })))
    for (const stream of opened) {
      t.after(() => stream.close())
      assert.equal(stream.status, 200)
    }
    return opened
  }
  const watching = await openStreams(world.admin.cookie)
  const count = rounds(4, 0.2)
  let slowest = 0
  let slowestStream = 0
  for (let round = 0; round < count; round++) {
    // Each starts at another replica; the last of every four leaves the choice to the proxy.
    const demand = takingTurns(round % 4 === 3 ? [proxy.address] : addresses, round)
    const held = await goAllTheWay(world, demand, `person${round}@example.com`, openStreams)
    const ended = held.streams.map(({ ended: over }) => over.then(() => performance.now()))
    const json = { action: 'disable' }
    await demand(200, 'POST', `/api/admin/users/${held.userId}/lifecycle`, { cookie: world.admin.cookie, json })
    const since = performance.now()
    const times = await Promise.all(addresses.map((address) => timeOfCutOff(world, address, held, since)))
    slowest = Math.max(slowest, ...times)
    slowestStream = Math.max(slowestStream, ...(await Promise.all(ended)).map((at) => at - since))
    for (const stream of watching) await hear(stream, 'user.disabled')
  }
  assertWithin(CUT_OFF_WITHIN_MS, slowest, 'the end of the last request')
  assertWithin(CUT_OFF_WITHIN_MS, slowestStream, 'the end of the last stream')
  assert.deepEqual(proxy.broken(), [])
  figure(t, PART, 'people who went all the way and were switched off', count)
  figure(t, PART, 'sessions, tokens and certificates dead on all three, ms after the answer', slowest)
  figure(t, PART, 'streams ended on all three, ms after the answer', slowestStream)
})
