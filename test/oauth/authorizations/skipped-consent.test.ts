import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ADMIN_ROLE } from '../../../src/vocabulary/built-in-roles.ts'
import { sharedApp } from '../../support/app.ts'
import { authorizeUrl, locationOf, newPkce, registerApplication } from '../../support/application.ts'
import { MAIN_ENGINE, onEachEngine } from '../../support/engines.ts'
import { signedInPerson } from '../../support/people.ts'

onEachEngine('skipped consent', (engine) => {
  const app = sharedApp({ engine })

  test('requests at the same moment get a code each, on one grant', async () => {
    const person = await signedInPerson(app())
    const application = await registerApplication(app(), { consent: 'skip' })
    const answers = await Promise.all(Array.from({ length: 5 }, () => person.get(authorizeUrl(application, newPkce()))))
    assert.ok(answers.every((answer) => locationOf(answer).searchParams.has('code')))
    const { grants } = (await person.get('/api/account/oauth/grants')).json<{ grants: unknown[] }>()
    assert.equal(grants.length, 1)
  })

  // The rest is the same on every engine.
  if (engine !== MAIN_ENGINE) return

  test('a code is issued without asking, also with prompt=none, and the grant is recorded', async () => {
    const person = await signedInPerson(app())
    const application = await registerApplication(app(), { consent: 'skip' })
    const url = locationOf(
      await person.get(authorizeUrl(application, newPkce(), { prompt: 'none', scope: 'openid email' })),
    )
    assert.ok(url.searchParams.has('code'), url.href)
    const { grants } = (await person.get('/api/account/oauth/grants')).json<{ grants: { scopes: string[] }[] }>()
    assert.deepEqual(grants[0]?.scopes, ['openid', 'email'])
  })

  test('prompt=consent asks all the same', async () => {
    const person = await signedInPerson(app())
    const application = await registerApplication(app(), { consent: 'skip' })
    const page = locationOf(await person.get(authorizeUrl(application, newPkce(), { prompt: 'consent' })))
    assert.equal(page.pathname, '/consent')
  })

  test('somebody who may not use the application gets nothing, and no grant', async () => {
    const person = await signedInPerson(app())
    const application = await registerApplication(app(), { consent: 'skip', allowedRoles: [ADMIN_ROLE] })
    assert.equal(locationOf(await person.get(authorizeUrl(application, newPkce()))).pathname, '/no-access')
    assert.deepEqual((await person.get('/api/account/oauth/grants')).json(), { grants: [] })
  })

  test('it is refused for a public client with a redirect URL that is not https', async () => {
    const admin = await signedInPerson(app(), { admin: true })
    const body = { name: 'App', clientType: 'public', scopes: ['openid'], consent: 'skip' }
    const create = async (...redirectUris: string[]) =>
      (await admin.post('/oauth/clients', { ...body, redirectUris })).statusCode
    assert.equal(await create('https://app.example/cb'), 201)
    assert.equal(await create('https://app.example/cb', 'http://127.0.0.1/cb'), 400)
    assert.equal(await create('com.example.app:/cb'), 400)
    const { clientId } = await registerApplication(app(), { clientType: 'public', consent: 'skip' })
    const widened = await admin.patch(`/oauth/clients/${clientId}`, { redirectUris: ['http://localhost/cb'] })
    assert.equal(widened.statusCode, 400)
  })
})
