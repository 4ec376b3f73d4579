import assert from 'node:assert/strict'
import { setTimeout } from 'node:timers/promises'
import type { RealProvider } from '../interop/provider.ts'
import type { Application } from '../support/application.ts'
import { freePort } from '../support/free-port.ts'
import { type SignedInPerson, signedInPerson, signIn } from '../support/people.ts'
import { until } from '../support/replicas.ts'
import { PASSWORD } from '../support/ways-access-ends.ts'
import { type Page, visit, type Visitor } from './visitor.ts'

/** An application that members of one group may use, and a member. */
export interface Organisation {
  application: Application
  /** The address of the application. */
  home: string
  group: string
  roleId: string
  admin: SignedInPerson
  member: SignedInPerson
  /** A browser in which the member is signed in here, and not yet at the application. */
  newVisitor(): Visitor
  /** The same in another session of the member. */
  newVisitorElsewhere(): Promise<Visitor>
  /** The same for somebody who is not in the group. */
  newStranger(): Visitor
  /** What every program of `apps/` needs to know. */
  environment: Record<string, string>
  /** Confirms the email address of the member. */
  confirmEmail(): Promise<void>
  refusals(): Promise<{ endpoint: string; error: string; hint: string }[]>
  takeGroupAway(): Promise<void>
  /** The same application, with a member of its own. */
  withNewMember(): Promise<Organisation>
}

type Settings = Record<string, unknown>

let count = 0

/** Makes everything with requests to the API, as an administrator does. */
export async function createOrganisation(
  provider: RealProvider,
  callbackPath: string,
  settings: Settings | ((home: string) => Settings) = {},
): Promise<Organisation> {
  const { app, issuer } = provider
  const admin = await signedInPerson(app, { admin: true })
  const stranger = await signedInPerson(app)
  const group = `photographers ${++count}`
  const home = `http://localhost:${await freePort()}`

  const send = async <T>(method: 'get' | 'post' | 'patch' | 'delete', url: string, body?: unknown): Promise<T> => {
    const answer = await admin[method](url, body, { origin: issuer })
    assert.ok(answer.statusCode < 300, `${url}: ${answer.body}`)
    return answer.json<T>()
  }
  const { role } = await send<{ role: { id: string } }>('post', '/api/admin/roles', { name: group })
  const made = await send<{ client_id: string; client_secret?: string }>('post', '/oauth/clients', {
    name: 'Photos',
    clientType: 'confidential',
    redirectUris: [home + callbackPath],
    scopes: ['openid', 'profile', 'email', 'groups', 'offline_access'],
    allowedRoles: [role.id],
    ...(typeof settings === 'function' ? settings(home) : settings),
  })

  const withNewMember = async (): Promise<Organisation> => {
    const member = await signedInPerson(app, { password: PASSWORD })
    await send('post', `/api/admin/users/${member.user.id}/roles`, { roleId: role.id })
    return ofMember(member)
  }
  const ofMember = (member: SignedInPerson): Organisation => ({
    application: { clientId: made.client_id, secret: made.client_secret, redirectUri: home + callbackPath },
    home,
    group,
    roleId: role.id,
    admin,
    member,
    newVisitor: () => visit(provider, member),
    newVisitorElsewhere: async () => visit(provider, await signIn(app, member.user)),
    newStranger: () => visit(provider, stranger),
    environment: {
      ISSUER: issuer,
      CLIENT_ID: made.client_id,
      CLIENT_SECRET: made.client_secret ?? '',
      HOME: home,
    },
    confirmEmail: async () => {
      await send('patch', `/api/admin/users/${member.user.id}`, { email_verified: true })
    },
    refusals: async () => (await send<{ refusals: [] }>('get', `/oauth/clients/${made.client_id}/refusals`)).refusals,
    takeGroupAway: async () => {
      await send('delete', `/api/admin/users/${member.user.id}/roles/${role.id}`)
    },
    withNewMember,
  })
  return withNewMember()
}

/** What administrators are told about the last request that was refused. */
export async function assertHint({ refusals }: Organisation, hint: RegExp): Promise<void> {
  await until(async () => (await refusals()).length > 0)
  assert.match((await refusals())[0]?.hint ?? '', hint)
}

/** How somebody signs in at an application: mostly by opening a page of it. */
export type SignIn = (visitor: Visitor) => Promise<Page>

const MAX_MS_UNTIL_ACCESS_ENDS = 1000

/**
 * The member signs in, and the application knows who it is; strangers are not let in. When the group is taken away, the application
 * refuses its signed-in user within a second, and here nobody can sign in to it.
 */
export async function checkAccess(organisation: Organisation, signIn: SignIn): Promise<void> {
  const { home, member, group } = organisation
  assert.equal((await signIn(organisation.newStranger())).url.pathname, '/no-access')
  const visitor = organisation.newVisitor()
  const page = await signIn(visitor)
  assert.equal(page.status, 200, `${page.url.href} ${page.body}`)
  assert.deepEqual(JSON.parse(page.body), { sub: member.user.id, email: member.user.email, groups: [group] })
  assert.equal((await visitor.open(`${home}/`)).status, 200)

  await organisation.takeGroupAway()
  const taken = Date.now()
  let later = await visitor.open(`${home}/`)
  while (!isRefused(later) && Date.now() - taken < MAX_MS_UNTIL_ACCESS_ENDS) {
    await setTimeout(50)
    later = await visitor.open(`${home}/`)
  }
  assert.ok(isRefused(later), later.body)
  assert.equal((await signIn(organisation.newVisitor())).url.pathname, '/no-access')
}

/** Some answer with an error, some let the user sign in again. */
const isRefused = ({ status, url }: Page): boolean => status >= 400 || url.pathname === '/no-access'
