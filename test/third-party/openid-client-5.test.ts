import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { realProvider } from '../interop/provider.ts'
import { checkAccess, createOrganisation } from './organisation.ts'
import { runNodeApp } from './run-application.ts'
import { needs, npmName } from './software.ts'

const { folder, skip } = await needs('npm')

describe(npmName(folder, 'openid-client'), { skip }, () => {
  const provider = realProvider('sqlite')

  test('expects RS256 unless told otherwise, and refuses the ES256 of a client with default settings', async (t) => {
    const organisation = await createOrganisation(provider(), '/callback')
    const { home, environment } = organisation
    await runNodeApp(t, 'openid-client-5.mjs', { folder, environment, home })
    const page = await organisation.newVisitor().open(`${home}/login`)
    assert.equal(page.status, 401)
    assert.match(page.body, /unexpected JWT alg received, expected RS256, got: ES256/)
  })
  test('signs the user in with its default settings when the client is set to RS256', async (t) => {
    const organisation = await createOrganisation(provider(), '/callback', { id_token_signed_response_alg: 'RS256' })
    const { home, environment } = organisation
    await runNodeApp(t, 'openid-client-5.mjs', { folder, environment, home })
    await checkAccess(organisation, (visitor) => visitor.open(`${home}/login`))
  })

  test('signs the user in with ES256 when it is told to expect that', async (t) => {
    const organisation = await createOrganisation(provider(), '/callback')
    const { home, environment } = organisation
    const settings = { ...environment, ALGORITHM: 'ES256' }
    await runNodeApp(t, 'openid-client-5.mjs', { folder, environment: settings, home })
    await checkAccess(organisation, (visitor) => visitor.open(`${home}/login`))
  })
})
