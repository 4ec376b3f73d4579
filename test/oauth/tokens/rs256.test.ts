import assert from 'node:assert/strict'
import { createHmac, generateKeyPairSync, sign } from 'node:crypto'
import { test } from 'node:test'
import { compactVerify, createLocalJWKSet, decodeProtectedHeader, type JSONWebKeySet } from 'jose'
import {
  activateNextKey,
  publishNextKey,
  retirePreviousKeys,
  rotateAtOnce,
} from '../../../src/platform/keys/rotate-signing-key.ts'
import { sharedApp, startApp, type TestApp } from '../../support/app.ts'
import {
  type Application,
  authorizeUrl,
  getTokens,
  locationOf,
  newPkce,
  REDIRECT_URI,
  registerApplication,
} from '../../support/application.ts'
import { MAIN_ENGINE, onEachEngine } from '../../support/engines.ts'
import { anonymous, signedInPerson, type SignedInPerson } from '../../support/people.ts'

const BODY = {
  name: 'Example',
  clientType: 'confidential',
  redirectUris: [REDIRECT_URI],
  scopes: ['openid', 'offline_access'],
  id_token_signed_response_alg: 'RS256',
}

async function registerRs256(admin: SignedInPerson): Promise<Application> {
  const answer = await admin.post('/oauth/clients', BODY)
  assert.equal(answer.statusCode, 201, answer.body)
  const made = answer.json<{ client_id: string; client_secret: string }>()
  return { clientId: made.client_id, secret: made.client_secret, redirectUri: REDIRECT_URI }
}

const keySet = async (app: TestApp): Promise<JSONWebKeySet & { keys: { kid: string; kty: string; alg: string }[] }> =>
  (await anonymous(app).get('/.well-known/jwks.json')).json()
const algorithms = async (app: TestApp): Promise<string[]> =>
  (await anonymous(app).get('/.well-known/openid-configuration')).json<Record<string, string[]>>()[
    'id_token_signing_alg_values_supported'
  ] ?? []
const verify = async (app: TestApp, idToken: string) => compactVerify(idToken, createLocalJWKSet(await keySet(app)))

onEachEngine('ID tokens with RS256', (engine) => {
  const app = sharedApp({ engine })

  test('two clients that ask for it at the same moment get one key', async (t) => {
    const app = await startApp(t, { engine })
    const admin = await signedInPerson(app, { admin: true })
    await Promise.all([registerRs256(admin), registerRs256(admin)])
    assert.equal((await keySet(app)).keys.length, 2)
  })

  // The rest is the same on every engine.
  if (engine !== MAIN_ENGINE) return

  test('the RSA key is made when the first client asks for it, and listed after the other from then on', async (t) => {
    const app = await startApp(t, { engine })
    assert.deepEqual(await algorithms(app), ['ES256'])
    assert.equal((await keySet(app)).keys.length, 1)
    const admin = await signedInPerson(app, { admin: true })
    assert.equal((await admin.post('/oauth/clients', { ...BODY, redirectUris: ['nonsense'] })).statusCode, 400)
    assert.equal((await keySet(app)).keys.length, 1, 'a refused request makes no key')
    const application = await registerRs256(admin)
    const { keys } = await keySet(app)
    assert.deepEqual(
      keys.map(({ kty, alg }) => [kty, alg]),
      [
        ['EC', 'ES256'],
        ['RSA', 'RS256'],
      ],
    )
    assert.notEqual(keys[0]?.kid, keys[1]?.kid)
    assert.equal(Buffer.from((keys[1] as unknown as { n: string }).n, 'base64url').length * 8, 3072)
    assert.equal('d' in (keys[1] ?? {}), false)
    assert.deepEqual(await algorithms(app), ['ES256', 'RS256'])
    await admin.delete(`/oauth/clients/${application.clientId}`)
    assert.deepEqual(await algorithms(app), ['ES256', 'RS256'])
    const stored = await app.services.db.read.selectFrom('service_keys').selectAll().execute()
    assert.ok(stored.every(({ private_key_sealed: sealed }) => sealed.startsWith('v1.')))
  })

  test('each client gets ID tokens by the key of its own algorithm, and changing the setting changes the next token', async () => {
    const admin = await signedInPerson(app(), { admin: true })
    const rsa = await registerRs256(admin)
    const ec = await registerApplication(app())
    const [byRsa, byEc] = [await getTokens(app(), admin, rsa), await getTokens(app(), admin, ec)]
    const { keys } = await keySet(app())
    const kidOf = (alg: string) => keys.find((key) => key.alg === alg)?.kid
    assert.deepEqual(decodeProtectedHeader(byRsa.id_token), { alg: 'RS256', typ: 'JWT', kid: kidOf('RS256') })
    assert.deepEqual(decodeProtectedHeader(byEc.id_token), { alg: 'ES256', typ: 'JWT', kid: kidOf('ES256') })
    await verify(app(), byRsa.id_token)
    await verify(app(), byEc.id_token)
    await admin.patch(`/oauth/clients/${rsa.clientId}`, { id_token_signed_response_alg: 'ES256' })
    assert.equal(decodeProtectedHeader((await getTokens(app(), admin, rsa)).id_token).alg, 'ES256')
  })

  test('an id_token_hint of either algorithm is accepted, and none with a confused or forged one', async () => {
    const admin = await signedInPerson(app(), { admin: true })
    const application = await registerRs256(admin)
    const { id_token: idToken } = await getTokens(app(), admin, application)
    const ask = async (hint: string) =>
      locationOf(
        await admin.get(authorizeUrl(application, newPkce(), { id_token_hint: hint, prompt: 'none' })),
      ).searchParams.get('error')
    assert.equal(await ask(idToken), null)

    const [, payload = ''] = idToken.split('.')
    const { keys } = await keySet(app())
    const rsaKey = keys.find(({ alg }) => alg === 'RS256')
    const kids = keys.map(({ kid }) => kid)
    const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
    const stranger = generateKeyPairSync('rsa', { modulusLength: 3072 }).privateKey
    for (const kid of kids) {
      const none = `${encode({ alg: 'none', kid })}.${payload}.`
      const hmac = `${encode({ alg: 'HS256', kid })}.${payload}`
      const withPublicKey = createHmac('sha256', JSON.stringify(rsaKey)).update(hmac).digest('base64url')
      const signed = `${encode({ alg: 'RS256', kid })}.${payload}`
      const forged = sign('sha256', Buffer.from(signed), stranger).toString('base64url')
      const asEc = `${encode({ alg: 'ES256', kid })}.${payload}.${idToken.split('.')[2]}`
      for (const hint of [none, `${hmac}.${withPublicKey}`, `${signed}.${forged}`, asEc])
        assert.equal(await ask(hint), 'invalid_request', `${kid} ${hint.slice(0, 40)}`)
    }
  })

  test('both keys are rotated together, and earlier tokens verify until their key is retired', async (t) => {
    const own = await startApp(t, { engine })
    const admin = await signedInPerson(own, { admin: true })
    const application = await registerRs256(admin)
    const before = await getTokens(own, admin, application)
    assert.equal(await publishNextKey(own.services), 'service-id-2')
    await own.services.signingKeys.reload()
    assert.deepEqual(
      (await keySet(own)).keys.map(({ kid }) => kid),
      ['service-id-1', 'service-id-2', 'service-id-rsa-1', 'service-id-rsa-2'],
    )
    own.clock.advance(11 * 60_000)
    assert.equal(await activateNextKey(own.services), 'service-id-2')
    await own.services.signingKeys.reload()
    const after = await getTokens(own, admin, application)
    assert.equal(decodeProtectedHeader(after.id_token).kid, 'service-id-rsa-2')
    await verify(own, before.id_token)
    await verify(own, after.id_token)
    assert.deepEqual(await retirePreviousKeys(own.services), ['service-id-1', 'service-id-rsa-1'])
    await own.services.signingKeys.reload()
    await assert.rejects(verify(own, before.id_token))
    assert.equal(await rotateAtOnce(own.services), 'service-id-3')
    await own.services.signingKeys.reload()
    assert.equal(decodeProtectedHeader((await getTokens(own, admin, application)).id_token).kid, 'service-id-rsa-3')
  })
})

test('a replica that has not heard of the RSA key reads it before it signs', async (t) => {
  const first = await startApp(t, { engine: 'postgres' })
  const second = await startApp(t, { engine: 'postgres', storage: first.storage })
  const admin = await signedInPerson(first, { admin: true })
  const application = await registerRs256(admin)
  const there = await signedInPerson(second)
  const { id_token: idToken } = await getTokens(second, there, application)
  assert.equal(decodeProtectedHeader(idToken).alg, 'RS256')
})
