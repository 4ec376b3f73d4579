import assert from 'node:assert/strict'
import { join } from 'node:path'
import { describe, test, type TestContext } from 'node:test'
import { realProvider } from '../interop/provider.ts'
import { assertHint, checkAccess, createOrganisation, type Organisation } from './organisation.ts'
import { APPS, runProgram } from './run-application.ts'
import { debianEnvironment, debianName, debianProgram, needs } from './software.ts'

const { folder, skip } = await needs('debian')

const runAuthlib = (t: TestContext, { home, environment }: Organisation, settings: Record<string, string> = {}) =>
  runProgram(t, {
    command: debianProgram(folder, 'usr/bin/python3'),
    args: [join(APPS, 'flask-application.py')],
    folder,
    environment: { ...debianEnvironment(folder), ...environment, HOME_URL: home, ...settings },
    home,
  })

describe(debianName(folder, 'Authlib', 'python3-authlib'), { skip }, () => {
  const provider = realProvider('sqlite', { allowMissingPkce: true })

  test('sends no PKCE unless told to, and is refused with an explanation', async (t) => {
    const organisation = await createOrganisation(provider(), '/callback')
    await runAuthlib(t, organisation)
    const page = await organisation.newVisitor().open(`${organisation.home}/login`)
    assert.equal(page.status, 401)
    assert.match(page.body, /code_challenge/)
    await assertHint(organisation, /PKCE/)
  })

  test('signs the user in with PKCE', async (t) => {
    const organisation = await createOrganisation(provider(), '/callback')
    await runAuthlib(t, organisation, { CODE_CHALLENGE_METHOD: 'S256' })
    await checkAccess(organisation, (visitor) => visitor.open(`${organisation.home}/login`))
  })
  test('signs the user in without PKCE when it is optional for the client', async (t) => {
    const organisation = await createOrganisation(provider(), '/callback', { pkce: 'optional' })
    await runAuthlib(t, organisation)
    await checkAccess(organisation, (visitor) => visitor.open(`${organisation.home}/login`))
  })
})
