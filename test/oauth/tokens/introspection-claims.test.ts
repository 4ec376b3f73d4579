import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sharedApp } from '../../support/app.ts'
import { basic, getTokens, introspect, postForm, registerApplication } from '../../support/application.ts'
import { onMainEngine } from '../../support/engines.ts'
import { signedInPerson } from '../../support/people.ts'

onMainEngine('claims at introspection', (engine) => {
  const app = sharedApp({ engine })

  test('are those of the scopes of the token, for a client that is set to get them, and for no other', async () => {
    const application = await registerApplication(app())
    const mail = await registerApplication(app(), { introspectionClaims: true })
    const other = await registerApplication(app())
    const person = await signedInPerson(app())
    const scope = 'openid email offline_access'
    const { access_token, refresh_token } = await getTokens(app(), person, application, { scope })
    for (const token of [access_token, refresh_token]) {
      const told = (await introspect(app(), mail, token)).json<Record<string, unknown>>()
      assert.deepEqual([told['email'], told['email_verified'], told['name']], [person.user.email, false, undefined])
      assert.deepEqual([told['active'], told['client_id']], [true, application.clientId])
      for (const asking of [other, application])
        assert.equal('email' in (await introspect(app(), asking, token)).json<object>(), false)
    }
    const machine = await postForm(
      app(),
      '/oauth/token',
      { grant_type: 'client_credentials', scope: 'email' },
      { authorization: basic(application) },
    )
    const own = (await introspect(app(), mail, machine.json<{ access_token: string }>().access_token)).json<object>()
    assert.equal('email' in own, false, 'a token of a client is about nobody')
    const admin = await signedInPerson(app(), { admin: true })
    const url = `/oauth/clients/${mail.clientId}`
    assert.equal(
      (await admin.patch(url, { introspectionClaims: false })).json<{ client: { introspectionClaims: boolean } }>()
        .client.introspectionClaims,
      false,
    )
    assert.equal('email' in (await introspect(app(), mail, access_token)).json<object>(), false)
  })
})
