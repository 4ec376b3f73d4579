import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { realProvider } from '../interop/provider.ts'
import { checkAccess, createOrganisation } from './organisation.ts'
import { runNodeApp } from './run-application.ts'
import { signInWithForm } from './sign-in-with-form.ts'
import { needs, npmName } from './software.ts'

const { folder, skip } = await needs('npm')
const CALLBACK = '/api/auth/callback/latchkey'

describe(npmName(folder, 'next-auth'), { skip }, () => {
  const provider = realProvider('sqlite')

  test('sends no PKCE unless told to, and is refused with its default checks', async (t) => {
    const organisation = await createOrganisation(provider(), CALLBACK)
    const { home, environment } = organisation
    const { output } = await runNodeApp(t, 'next-auth-4.mjs', {
      folder,
      environment: { ...environment, NEXTAUTH_URL: home },
      home,
    })
    const page = await signInWithForm(home, '/api/auth')(organisation.newVisitor())
    assert.equal(page.url.pathname, '/api/auth/signin')
    assert.match(output(), /code_challenge/)
  })
  test('signs the user in with PKCE when the client is set to RS256 and full claims in ID tokens', async (t) => {
    const settings = { id_token_signed_response_alg: 'RS256', idTokenClaims: 'full' }
    const organisation = await createOrganisation(provider(), CALLBACK, settings)
    const { home, environment } = organisation
    await runNodeApp(t, 'next-auth-4.mjs', {
      folder,
      environment: { ...environment, NEXTAUTH_URL: home, CHECKS: 'pkce state' },
      home,
    })
    await checkAccess(organisation, signInWithForm(home, '/api/auth'))
  })
})
