import assert from 'node:assert/strict'
import { after, before, describe, test, type TestContext } from 'node:test'
import { ACCESS_ENDS } from '../../src/vocabulary/access-ends.ts'
import { documentedCode } from '../interop/documented-code.ts'
import { realProvider } from '../interop/provider.ts'
import { until } from '../support/replicas.ts'
import { end, endsWithinASecond, WAYS } from './ends-of-access.ts'
import { createOrganisation, type SignIn } from './organisation.ts'
import { runNodeApp } from './run-application.ts'
import { needs, npmName } from './software.ts'
import type { Visitor } from './visitor.ts'

const { folder, skip } = await needs('npm')

const MAX_WAIT_MS = 10_000
const AS_DOCUMENTED = { ALGORITHM: 'ES256', HOOKS: documentedCode('express-openid-connect-hooks.mjs') }

describe(npmName(folder, 'express-openid-connect'), { skip }, () => {
  const provider = realProvider('sqlite', { outgoingAllow: ['127.0.0.0/8'] }, { isClockMovable: true })

  async function run(t: Pick<TestContext, 'after'>, environment: Record<string, string>, algorithm = 'ES256') {
    const organisation = await createOrganisation(provider(), '/callback', (home) => ({
      idTokenClaims: 'full',
      id_token_signed_response_alg: algorithm,
      backchannelLogoutUri: `${home.replace('localhost', '127.0.0.1')}/backchannel-logout`,
    }))
    const { home } = organisation
    await runNodeApp(t, 'express-openid-connect.mjs', {
      folder,
      environment: { ...organisation.environment, ...environment },
      home,
    })
    const signIn: SignIn = (visitor) => visitor.open(`${home}/login`)
    const isSignedOut = async (visitor: Visitor) => (await visitor.open(`${home}/`)).status === 401
    return { provider: provider(), organisation, signIn, isSignedOut }
  }

  // Started once for the ways that leave the application as it is, which are two thirds.
  const endings: (() => Promise<void>)[] = []
  let shared: Awaited<ReturnType<typeof run>>
  before(async () => {
    shared = await run({ after: (work) => void endings.push(work as () => Promise<void>) }, AS_DOCUMENTED)
  })
  after(async () => {
    for (const end of endings) await end()
  })

  for (const { way, title } of WAYS) {
    test(`signs its user out within a second, with the hooks of the documents: ${title}`, async (t) => {
      const isShared = ['session', 'person'].includes(ACCESS_ENDS[way].reach)
      const running = isShared
        ? { ...shared, organisation: await shared.organisation.withNewMember() }
        : await run(t, AS_DOCUMENTED)
      await endsWithinASecond(running, way)
    })
  }

  test('signs its user out within a second after the switch with its own hooks, and with RS256, which is its default', async (t) => {
    await endsWithinASecond(await run(t, {}, 'RS256'), 'disabled')
  })

  test('keeps the session of another browser with the hooks of the documents', async (t) => {
    const { organisation, signIn, isSignedOut } = await run(t, AS_DOCUMENTED)
    const [here, elsewhere] = [organisation.newVisitor(), await organisation.newVisitorElsewhere()]
    for (const visitor of [here, elsewhere]) assert.equal((await signIn(visitor)).status, 200)
    await end(provider(), organisation, 'signed_out')
    await until(() => isSignedOut(here), MAX_WAIT_MS)
    assert.equal(await isSignedOut(elsewhere), false)
  })

  for (const [hooks, environment, algorithm, isBack] of [
    ['its own hooks', {}, 'RS256', true],
    ['the hooks of the documents', AS_DOCUMENTED, 'ES256', false],
  ] as const) {
    test(`brings ${isBack ? 'a' : 'no'} session back when its user signs in again, with ${hooks}`, async (t) => {
      const { organisation, signIn, isSignedOut } = await run(t, environment, algorithm)
      const [used, unused] = [organisation.newVisitor(), organisation.newVisitor()]
      for (const visitor of [used, unused]) assert.equal((await signIn(visitor)).status, 200)
      await end(provider(), organisation, 'signed_out_by_administrator')
      await until(() => isSignedOut(used), MAX_WAIT_MS)
      const again = await organisation.newVisitorElsewhere()
      // Its times are whole seconds.
      await until(async () => (await signIn(again)).status === 200, MAX_WAIT_MS)
      assert.equal(await isSignedOut(unused), !isBack)
    })
  }
})
