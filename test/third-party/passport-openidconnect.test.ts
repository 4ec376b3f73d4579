import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { realProvider } from '../interop/provider.ts'
import { assertHint, checkAccess, createOrganisation } from './organisation.ts'
import { runNodeApp } from './run-application.ts'
import { needs, npmName } from './software.ts'

const { folder, skip } = await needs('npm')

describe(npmName(folder, 'passport-openidconnect'), { skip }, () => {
  const provider = realProvider('sqlite', { allowMissingPkce: true })

  test('sends no PKCE, and is refused with an explanation as it is shipped', async (t) => {
    const organisation = await createOrganisation(provider(), '/callback')
    const { home, environment } = organisation
    await runNodeApp(t, 'passport-openidconnect.mjs', { folder, environment, home })
    const page = await organisation.newVisitor().open(`${home}/login`)
    assert.equal(page.status, 401)
    assert.match(page.body, /code_challenge/)
    await assertHint(organisation, /PKCE/)
  })

  test('sends no nonce unless told to, and is refused without one when PKCE is optional for the client', async (t) => {
    const organisation = await createOrganisation(provider(), '/callback', { pkce: 'optional' })
    const { home, environment } = organisation
    await runNodeApp(t, 'passport-openidconnect.mjs', { folder, environment, home })
    const page = await organisation.newVisitor().open(`${home}/login`)
    assert.equal(page.status, 401)
    assert.match(page.body, /nonce/)
    await assertHint(organisation, /nonce/)
  })

  test('signs the user in with a nonce when PKCE is optional for the client, and its ID tokens have full claims', async (t) => {
    const organisation = await createOrganisation(provider(), '/callback', {
      pkce: 'optional',
      idTokenClaims: 'full',
    })
    const { home, environment } = organisation
    const settings = { ...environment, NONCE: 'true' }
    await runNodeApp(t, 'passport-openidconnect.mjs', { folder, environment: settings, home })
    await checkAccess(organisation, (visitor) => visitor.open(`${home}/login`))
  })
})
