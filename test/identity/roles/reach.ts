import type { User } from '../../../src/identity/users/user.ts'
import { cookiesOf, forwardAuth, locationOf, NAVIGATION } from '../../proxy/visits.ts'
import type { hostWith } from '../../ssh/hosts/managed-host.ts'
import type { TestApp } from '../../support/app.ts'
import { type Application, authorizeUrl, exchangeCode, newPkce, type Tokens } from '../../support/application.ts'
import { anonymous, type SignedInPerson } from '../../support/people.ts'

/** Where a person may be let in: asked as proxies, applications and hosts ask. */
export interface Ends {
  /** Origins. */
  sites: string[]
  applications: Application[]
  hosts: ReturnType<typeof hostWith>[]
}

/**
 * Where somebody is let in, and as whom, by the answers that decide about real requests: first what the service itself says of them, then
 * each end.
 */
export async function reachOf(app: TestApp, person: SignedInPerson, { sites, applications, hosts }: Ends) {
  const { user, permissions } = (await person.get('/api/auth/me')).json<{ user: User; permissions: string[] }>()
  const reached: unknown[] = [{ username: user.preferredUsername, roles: user.roles, permissions }]
  for (const origin of sites) reached.push(await visit(app, person, origin))
  for (const application of applications) reached.push(await toldOf(app, person, application))
  for (const host of hosts) reached.push(await accountsOn(host, person))
  return reached
}

async function visit(app: TestApp, person: SignedInPerson, origin: string) {
  const asStranger = await pathsAt(app, origin)
  const begun = await forwardAuth(app, { url: `${origin}/.latchkey/login?to=/`, headers: NAVIGATION })
  if (begun.statusCode !== 302) return { asStranger }
  const back = await person.get(locationOf(begun).replace(app.services.config.baseUrl, ''))
  if (!locationOf(back).startsWith(`${origin}/`)) return { asStranger }
  const cookie = cookiesOf(begun).join('; ')
  const arrived = await forwardAuth(app, { url: locationOf(back), cookie, headers: NAVIGATION })
  return { asStranger, signedIn: await pathsAt(app, origin, cookiesOf(arrived)[0]) }
}

/** By which headers an application would know the visitor, or undefined where it would not hear of them. */
const pathsAt = (app: TestApp, origin: string, cookie?: string) =>
  Promise.all(
    ['/', '/secret/x', '/x'].map(async (path) => {
      const { statusCode, headers } = await forwardAuth(app, { url: origin + path, ...(cookie ? { cookie } : {}) })
      return statusCode === 200 ? Object.entries(headers).filter(([name]) => /^(remote|x-user)/.test(name)) : undefined
    }),
  )

/** What an application is told, or undefined where it gets no code. */
async function toldOf(app: TestApp, person: SignedInPerson, application: Application) {
  const pkce = newPkce()
  const answer = await person.get(authorizeUrl(application, pkce, { scope: 'openid profile groups' }))
  const code = await codeBehind(person, new URL(locationOf(answer)))
  if (code === null) return undefined
  const { access_token: token } = (await exchangeCode(app, application, code, pkce)).json<Tokens>()
  return (await anonymous(app).get('/oauth/userinfo', undefined, { authorization: `Bearer ${token}` })).json<object>()
}

async function codeBehind(person: SignedInPerson, page: URL): Promise<string | null> {
  if (page.pathname !== '/consent') return page.searchParams.get('code')
  const request = { ...Object.fromEntries(page.searchParams), approve: true }
  const answer = await person.post('/oauth/approve', request)
  return answer.statusCode === 200
    ? new URL(answer.json<{ redirectTo: string }>().redirectTo).searchParams.get('code')
    : null
}

/** The accounts of a host that a certificate with their username opens. */
async function accountsOn(host: Ends['hosts'][number], { user }: SignedInPerson) {
  const { accounts } = (await host.get('/ssh/hosts/principals')).json<{ accounts: Record<string, string[]> }>()
  return Object.entries(accounts).flatMap(([account, names]) =>
    names.includes(user.preferredUsername) ? [account] : [],
  )
}
