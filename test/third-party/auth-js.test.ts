import { describe, test } from 'node:test'
import { realProvider } from '../interop/provider.ts'
import { checkAccess, createOrganisation } from './organisation.ts'
import { runNodeApp } from './run-application.ts'
import { signInWithForm } from './sign-in-with-form.ts'
import { needs, npmName } from './software.ts'

const { folder, skip } = await needs('npm')

describe(npmName(folder, '@auth/core'), { skip }, () => {
  const provider = realProvider('sqlite')

  test('signs the user in with its default settings when the client has full claims in ID tokens', async (t) => {
    const organisation = await createOrganisation(provider(), '/auth/callback/latchkey', { idTokenClaims: 'full' })
    const { home, environment } = organisation
    await runNodeApp(t, 'auth-js.mjs', { folder, environment, home })
    await checkAccess(organisation, signInWithForm(home, '/auth'))
  })
})
