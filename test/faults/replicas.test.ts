import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import type { PublicKeyCredentialCreationOptionsJSON } from '@simplewebauthn/server'
import type { RequestOptions } from '../../src/identity/passkeys/webauthn-contracts.ts'
import { type EventStream, openEventStream } from '../identity/notifications/event-stream.ts'
import { newPublicKey } from '../ssh/public-keys.ts'
import { newPkce, REDIRECT_URI } from '../support/application.ts'
import { createAuthenticator } from '../support/authenticator.ts'
import { createStorage } from '../support/engines.ts'
import { sendRequest, type RequestContent, sessionOf } from '../support/http-client.ts'
import { startReplica, until } from '../support/replicas.ts'
import { startRoundRobin } from '../support/round-robin.ts'
import { ORIGIN } from '../support/settings.ts'
import { assertWithin } from '../support/speed.ts'
import { createInstallation, credentialsOf, ENVIRONMENT, passwordOf, type Installation } from './installation.ts'
import { figure, rounds } from './run-options.ts'

const PART = 'Replicas'
const MAX_DISABLING_MS = 1000

/** The credentials and streams of one user. */
interface Credentials {
  userId: string
  cookies: string[]
  access: string
  refresh: string
  serial: string
  streams: EventStream[]
}

/** Sends each request to the next replica, so that no step depends on the memory of a single one. */
const createAlternatingClient = (addresses: string[], first: number) => {
  let turn = first
  return async (status: number, method: string, path: string, content?: RequestContent) => {
    const address = addresses[turn++ % addresses.length] ?? ''
    const answer = await sendRequest(address, method, path, content)
    assert.equal(answer.status, status, `${method} ${path}: ${answer.body}`)
    return answer
  }
}

type ExpectStatus = ReturnType<typeof createAlternatingClient>

async function useEverything(
  installation: Installation,
  expectStatus: ExpectStatus,
  email: string,
  openStreams: (cookie: string) => Promise<EventStream[]>,
): Promise<Credentials> {
  const json = { email, password: passwordOf(email, 0) }
  const registered = await expectStatus(201, 'POST', '/api/auth/register', { json })
  const userId = registered.json<{ user: { id: string } }>().user.id
  const cookie = sessionOf(await expectStatus(200, 'POST', '/api/auth/login', { json }))
  await expectStatus(200, 'GET', '/api/auth/me', { cookie })
  const streams = await openStreams(cookie)

  const tokens = await authorize(installation, expectStatus, cookie)
  const authorization = { authorization: `Bearer ${tokens.access_token}` }
  const info = await expectStatus(200, 'GET', '/oauth/userinfo', { headers: authorization })
  assert.equal(info.json()['sub'], userId)
  const form = { ...credentialsOf(installation), grant_type: 'refresh_token', refresh_token: tokens.refresh_token }
  const refreshed = (await expectStatus(200, 'POST', '/oauth/token', { form })).json<Tokens>()
  for (const token of [tokens.access_token, refreshed.access_token, refreshed.refresh_token]) {
    const introspected = await expectStatus(200, 'POST', '/oauth/introspect', {
      form: { ...credentialsOf(installation), token },
    })
    assert.equal(introspected.json()['active'], true)
  }

  const passkeyCookie = await usePasskey(expectStatus, cookie)
  await expectStatus(200, 'POST', `/api/admin/users/${userId}/roles`, {
    cookie: installation.admin.cookie,
    json: { roleId: installation.staffRole },
  })
  const key = await expectStatus(201, 'POST', '/api/ssh/keys', {
    cookie,
    json: { name: 'laptop', publicKey: newPublicKey() },
  })
  const savedKeyId = key.json<{ key: { id: string } }>().key.id
  const issued = await expectStatus(201, 'POST', '/api/ssh/certs/issue', { cookie, json: { savedKeyId } })
  const { serial } = issued.json<{ serial: string }>()
  for (const stream of streams) await waitForNotification(stream, 'ssh.cert_issued')
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

async function authorize(installation: Installation, expectStatus: ExpectStatus, cookie: string): Promise<Tokens> {
  const { verifier, challenge } = newPkce()
  const query = new URLSearchParams({
    response_type: 'code',
    client_id: installation.client.client_id,
    redirect_uri: REDIRECT_URI,
    scope: 'openid email offline_access',
    code_challenge: challenge,
    code_challenge_method: 'S256',
  })
  const redirect = await expectStatus(302, 'GET', `/oauth/authorize?${query.toString()}`, { cookie })
  const page = new URL(redirect.headers.get('location') ?? '')
  assert.equal(page.pathname, '/consent')
  await expectStatus(200, 'GET', `/oauth/details${page.search}`, { cookie })
  const json = { ...Object.fromEntries(page.searchParams), approve: true }
  const approved = await expectStatus(200, 'POST', '/oauth/approve', { cookie, json })
  const form = {
    ...credentialsOf(installation),
    grant_type: 'authorization_code',
    code: new URL(approved.json<{ redirectTo: string }>().redirectTo).searchParams.get('code') ?? '',
    redirect_uri: REDIRECT_URI,
    code_verifier: verifier,
  }
  return (await expectStatus(200, 'POST', '/oauth/token', { form })).json()
}

/** Registers a passkey and signs in with it; returns the new session. */
async function usePasskey(expectStatus: ExpectStatus, cookie: string): Promise<string> {
  const authenticator = createAuthenticator({ origin: ORIGIN })
  const creation = await expectStatus(200, 'POST', '/api/passkeys/register/options', { cookie })
  const made = authenticator.register(creation.json<PublicKeyCredentialCreationOptionsJSON>())
  await expectStatus(200, 'POST', '/api/passkeys/register/verify', { cookie, json: { response: made } })
  const options = (await expectStatus(200, 'POST', '/api/passkeys/login/options', { json: {} })).json<RequestOptions>()
  const json = { challengeId: options.challengeId, response: authenticator.authenticate(options) }
  return sessionOf(await expectStatus(200, 'POST', '/api/passkeys/login/verify', { json }))
}

async function waitForNotification(stream: EventStream, type: string): Promise<void> {
  while ((await stream.notification()).type !== type);
}

/** The time from the answer until this replica refuses all credentials of the disabled user. */
async function timeUntilRefused(
  installation: Installation,
  address: string,
  held: Credentials,
  since: number,
): Promise<number> {
  const isRefused = async () => {
    for (const cookie of held.cookies)
      if ((await sendRequest(address, 'GET', '/api/auth/me', { cookie })).status !== 401) return false
    const headers = { authorization: `Bearer ${held.access}` }
    if ((await sendRequest(address, 'GET', '/oauth/userinfo', { headers })).status !== 401) return false
    for (const token of [held.access, held.refresh]) {
      const introspected = await sendRequest(address, 'POST', '/oauth/introspect', {
        form: { ...credentialsOf(installation), token },
      })
      if (introspected.json()['active'] !== false) return false
    }
    const krl = await sendRequest(address, 'GET', '/ssh/krl')
    return krl.json<{ revoked: { serial: string }[] }>().revoked.some(({ serial }) => serial === held.serial)
  }
  await until(isRefused)
  return performance.now() - since
}

async function startThree(t: TestContext) {
  const storage = await createStorage('postgres')
  t.after(storage.remove)
  const start = () => startReplica(t, storage, { environment: ENVIRONMENT })
  const replicas = await Promise.all([start(), start(), start()])
  const proxy = await startRoundRobin(
    t,
    replicas.map(({ port }) => port),
  )
  return { replicas, proxy, installation: await createInstallation(proxy.address) }
}

test('three replicas behind a round-robin proxy serve the same user, and disabling the user takes effect on all three', async (t) => {
  const { replicas, proxy, installation } = await startThree(t)
  const addresses = replicas.map(({ address }) => address)
  const openStreams = async (cookie: string) => {
    const opened = await Promise.all([...addresses, proxy.address].map((each) => openEventStream(each, { cookie })))
    for (const stream of opened) {
      t.after(() => stream.close())
      assert.equal(stream.status, 200)
    }
    return opened
  }
  const adminStreams = await openStreams(installation.admin.cookie)
  const count = rounds(4, 0.2)
  let maxRefusalMs = 0
  let maxStreamMs = 0
  for (let round = 0; round < count; round++) {
    // Each round starts at another replica; every fourth round goes through the proxy.
    const expectStatus = createAlternatingClient(round % 4 === 3 ? [proxy.address] : addresses, round)
    const held = await useEverything(installation, expectStatus, `person${round}@example.com`, openStreams)
    const ended = held.streams.map(({ ended: over }) => over.then(() => performance.now()))
    const json = { action: 'disable' }
    await expectStatus(200, 'POST', `/api/admin/users/${held.userId}/lifecycle`, {
      cookie: installation.admin.cookie,
      json,
    })
    const since = performance.now()
    const times = await Promise.all(addresses.map((address) => timeUntilRefused(installation, address, held, since)))
    maxRefusalMs = Math.max(maxRefusalMs, ...times)
    maxStreamMs = Math.max(maxStreamMs, ...(await Promise.all(ended)).map((at) => at - since))
    for (const stream of adminStreams) await waitForNotification(stream, 'user.disabled')
  }
  assertWithin(MAX_DISABLING_MS, maxRefusalMs, 'the refusal of all credentials')
  assertWithin(MAX_DISABLING_MS, maxStreamMs, 'the end of the last stream')
  assert.deepEqual(proxy.broken(), [])
  figure(t, PART, 'users who used everything and were disabled', count)
  figure(t, PART, 'sessions, tokens and certificates refused by all three, ms after the answer', maxRefusalMs)
  figure(t, PART, 'streams ended on all three, ms after the answer', maxStreamMs)
})
