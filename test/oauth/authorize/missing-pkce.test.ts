import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sharedApp, startApp } from '../../support/app.ts'
import {
  authorize,
  authorizeUrl,
  exchangeCode,
  type Fields,
  locationOf,
  newPkce,
  registerApplication,
} from '../../support/application.ts'
import { onMainEngine } from '../../support/engines.ts'
import { signedInPerson } from '../../support/people.ts'

const WITHOUT: Fields = { code_challenge: undefined, code_challenge_method: undefined }

onMainEngine('applications that send no PKCE', (engine) => {
  const app = sharedApp({ engine, config: { allowMissingPkce: true } })
  const setup = async () => {
    const admin = await signedInPerson(app(), { admin: true })
    const application = await registerApplication(app(), { pkce: 'optional' })
    return { admin, application }
  }

  test('a client without the exception is refused as before', async () => {
    const person = await signedInPerson(app())
    const application = await registerApplication(app())
    const url = await authorize(person, application, newPkce(), { ...WITHOUT, nonce: 'n' })
    assert.equal(url.searchParams.get('error'), 'invalid_request')
  })

  test('a client with the exception gets a code with a nonce and openid, and exchanges it without a verifier', async () => {
    const { admin, application } = await setup()
    const url = await authorize(admin, application, newPkce(), { ...WITHOUT, nonce: 'n' })
    const code = url.searchParams.get('code') ?? ''
    const unexpected = await exchangeCode(app(), application, code, newPkce())
    assert.equal(unexpected.json<{ error: string }>().error, 'invalid_grant', 'a verifier without a challenge')
    const answer = await exchangeCode(app(), application, code, newPkce(), { code_verifier: undefined })
    assert.equal(answer.statusCode, 200, answer.body)
    const again = await exchangeCode(app(), application, code, newPkce(), { code_verifier: undefined })
    assert.equal(again.json<{ error: string }>().error, 'invalid_grant')
  })

  test('without a nonce, without openid, or with a method alone it is refused', async () => {
    const { admin, application } = await setup()
    for (const change of [
      { ...WITHOUT },
      { ...WITHOUT, nonce: 'n', scope: 'email' },
      { code_challenge: undefined, nonce: 'n' },
    ]) {
      const url = await authorize(admin, application, newPkce(), change)
      assert.equal(url.searchParams.get('error'), 'invalid_request', JSON.stringify(change))
    }
  })

  test('a challenge that is sent is enforced', async () => {
    const { admin, application } = await setup()
    const pkce = newPkce()
    const getCode = async () => (await authorize(admin, application, pkce)).searchParams.get('code') ?? ''
    for (const code_verifier of [undefined, newPkce().verifier]) {
      const answer = await exchangeCode(app(), application, await getCode(), pkce, { code_verifier })
      assert.deepEqual([answer.statusCode, answer.json<{ error: string }>().error], [400, 'invalid_grant'])
    }
    assert.equal((await exchangeCode(app(), application, await getCode(), pkce)).statusCode, 200)
    const plain = await authorize(admin, application, pkce, { code_challenge_method: 'plain', nonce: 'n' })
    assert.equal(plain.searchParams.get('error'), 'invalid_request')
  })

  test('the record says when PKCE was last missing and last sent', async () => {
    const { admin, application } = await setup()
    const record = async () => {
      const { client } = (await admin.get(`/oauth/clients/${application.clientId}`)).json<{
        client: { pkceLastMissingAt: number | null; pkceLastSentAt: number | null }
      }>()
      return [client.pkceLastMissingAt, client.pkceLastSentAt]
    }
    assert.deepEqual(await record(), [null, null])
    const missingAt = app().clock.now()
    await authorize(admin, application, newPkce(), { ...WITHOUT, nonce: 'n' })
    assert.deepEqual(await record(), [missingAt, null])
    app().clock.advance(1000)
    await authorize(admin, application, newPkce())
    assert.deepEqual(await record(), [missingAt, app().clock.now()])
  })

  test('a code request that waits for consent is refused when the exception is taken away meanwhile', async () => {
    const { admin, application } = await setup()
    const page = locationOf(await admin.get(authorizeUrl(application, newPkce(), { ...WITHOUT, nonce: 'n' })))
    assert.equal(page.pathname, '/consent')
    await admin.patch(`/oauth/clients/${application.clientId}`, { pkce: 'required' })
    const answer = await admin.post('/oauth/approve', Object.fromEntries(page.searchParams))
    assert.equal(answer.statusCode, 400)
  })

  test('a public client can never have the exception', async () => {
    const admin = await signedInPerson(app(), { admin: true })
    const { clientId } = await registerApplication(app(), { clientType: 'public' })
    const answer = await admin.patch(`/oauth/clients/${clientId}`, { pkce: 'optional' })
    assert.deepEqual([answer.statusCode, answer.json<{ issues: { path: string }[] }>().issues[0]?.path], [400, 'pkce'])
  })

  test('while the service does not allow it the exception can neither be set nor used, and other settings can change', async (t) => {
    const lax = await startApp(t, { engine, config: { allowMissingPkce: true } })
    const application = await registerApplication(lax, { pkce: 'optional' })
    const person = await signedInPerson(lax)
    const code = (await authorize(person, application, newPkce(), { ...WITHOUT, nonce: 'n' })).searchParams.get('code')
    await lax.close()
    const strict = await startApp(t, { engine, storage: lax.storage, clock: lax.clock })
    const there = await signedInPerson(strict, { admin: true })
    const url = `/oauth/clients/${application.clientId}`
    const other = await registerApplication(strict)
    const refused = await there.patch(`/oauth/clients/${other.clientId}`, { pkce: 'optional' })
    assert.deepEqual([refused.statusCode, refused.json<{ code: string }>().code], [409, 'conflict'])
    const renamed = await there.patch(url, { name: 'Renamed', pkce: 'optional' })
    assert.equal(renamed.statusCode, 200, renamed.body)
    const asked = await authorize(there, application, newPkce(), { ...WITHOUT, nonce: 'n' })
    assert.equal(asked.searchParams.get('error'), 'invalid_request')
    const exchanged = await exchangeCode(strict, application, code ?? '', newPkce(), { code_verifier: undefined })
    assert.equal(exchanged.statusCode, 400)
    await strict.close()
  })
})
