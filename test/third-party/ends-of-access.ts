import assert from 'node:assert/strict'
import { setTimeout } from 'node:timers/promises'
import type { FastifyInstance, InjectOptions } from 'fastify'
import { ACCESS_ENDS, type AccessEnd } from '../../src/vocabulary/access-ends.ts'
import type { RealProvider } from '../interop/provider.ts'
import type { TestApp } from '../support/app.ts'
import { anonymous, signIn } from '../support/people.ts'
import { type Access, endAccess } from '../support/ways-access-ends.ts'
import type { Organisation, SignIn } from './organisation.ts'
import { tokensOf } from './tokens-of.ts'
import type { Visitor } from './visitor.ts'

/** Every way in which access ends, with its title. */
export const WAYS = Object.entries(ACCESS_ENDS).map(([way, { title }]) => ({ way: way as AccessEnd, title }))

interface RunningApplication {
  provider: RealProvider
  organisation: Organisation
  signIn: SignIn
  /** Whether the application refuses its visitor, from its own session. */
  isSignedOut(visitor: Visitor): Promise<boolean>
}

const MAX_MS_UNTIL_SIGNED_OUT = 1000

/** The member signs in at the application, and is signed out there within a second after access has ended here. */
export async function endsWithinASecond(running: RunningApplication, way: AccessEnd): Promise<void> {
  const { provider, organisation, signIn, isSignedOut } = running
  const visitor = organisation.newVisitor()
  const page = await signIn(visitor)
  assert.equal(page.status, 200, `${page.url.href} ${page.body}`)
  assert.equal((JSON.parse(page.body) as { sub: string }).sub, organisation.member.user.id)
  assert.equal(await isSignedOut(visitor), false)

  await end(provider, organisation, way)
  const ended = Date.now()
  while (!(await isSignedOut(visitor))) {
    const waited = Date.now() - ended
    assert.ok(waited < MAX_MS_UNTIL_SIGNED_OUT, `The session still holds after ${waited} ms.`)
    await setTimeout(20)
  }
}

/** Ends what the member has at the application. */
export async function end(provider: RealProvider, organisation: Organisation, way: AccessEnd): Promise<void> {
  const { admin, member, application, roleId } = organisation
  const app = withOwnOrigin(provider)
  const elsewhere = await signIn(app, member.user)
  const own = { cookie: member.cookie, user: member.user, sessionId: member.sessionId }
  const access: Access = {
    app,
    admin: Object.assign(anonymous(app, admin.cookie), { user: admin.user, sessionId: admin.sessionId }),
    person: Object.assign(anonymous(app, member.cookie), own),
    elsewhere,
    application,
    tokens: await tokensOf(provider.issuer, organisation, 'openid offline_access'),
    roleId,
  }
  await endAccess(access, way)
}

/** Its dashboard has another address than that of other tests. */
function withOwnOrigin({ app, issuer }: RealProvider): TestApp {
  const inject = (options: InjectOptions) =>
    app.app.inject({ ...options, headers: { ...options.headers, origin: issuer } })
  return { ...app, app: { inject } as unknown as FastifyInstance }
}
