import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sharedApp } from '../../support/app.ts'
import {
  authorizeUrl,
  consent,
  exchangeCode,
  locationOf,
  newPkce,
  registerApplication,
} from '../../support/application.ts'
import { onMainEngine } from '../../support/engines.ts'
import { signedInPerson } from '../../support/people.ts'

onMainEngine('response_mode=fragment', (engine) => {
  const app = sharedApp({ engine })

  test('an answer has the code or the error, with state and issuer, also after consent, and nothing in the query', async () => {
    const application = await registerApplication(app())
    const person = await signedInPerson(app())
    const pkce = newPkce()
    const change = { response_mode: 'fragment' }
    const page = locationOf(await person.get(authorizeUrl(application, pkce, change)))
    const granted = await consent(person, page)
    const silent = locationOf(await person.get(authorizeUrl(application, newPkce(), change)))
    const refused = locationOf(await person.get(authorizeUrl(application, pkce, { ...change, scope: 'other' })))
    const denied = await consent(
      person,
      locationOf(await person.get(authorizeUrl(application, pkce, { ...change, prompt: 'consent' }))),
      false,
    )
    for (const url of [granted, silent, refused, denied]) {
      assert.equal(url.search, '')
      const fields = new URLSearchParams(url.hash.slice(1))
      assert.deepEqual([fields.get('state'), fields.get('iss')], ['some-state', 'http://localhost:3000'])
    }
    assert.equal(new URLSearchParams(refused.hash.slice(1)).get('error'), 'invalid_scope')
    assert.equal(new URLSearchParams(denied.hash.slice(1)).get('error'), 'access_denied')
    const code = new URLSearchParams(granted.hash.slice(1)).get('code') ?? ''
    assert.equal((await exchangeCode(app(), application, code, pkce)).statusCode, 200)
  })
})
