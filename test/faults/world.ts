import assert from 'node:assert/strict'
import { ALL_SCOPES, REDIRECT_URI } from '../support/application.ts'
import { type Answer, ask, type Asked, sessionOf } from '../support/visitor.ts'

export const BOOTSTRAP_SECRET = 'a-bootstrap-secret-for-the-fault-tests'

/** What a replica needs for traffic that would otherwise be told to slow down. */
export const ENVIRONMENT = { RATE_LIMITS: 'off', ADMIN_BOOTSTRAP_SECRET: BOOTSTRAP_SECRET, LOG_LEVEL: 'warn' }

/** A service with an administrator, an application and two roles, all made over the wire. */
export interface World {
  /** Where the service is at the moment. */
  address: string
  admin: { id: string; cookie: string }
  client: { client_id: string; client_secret: string }
  /** Lets its holder get certificates. */
  staffRole: string
  /** Comes and goes. */
  otherRole: string
  ask(method: string, path: string, asked?: Asked): Promise<Answer>
  /** Asks for what must work: anything but that status is an error. */
  demand(status: number, method: string, path: string, asked?: Asked): Promise<Answer>
  asAdmin(status: number, method: string, path: string, json?: unknown): Promise<Answer>
}

export async function createWorld(address: string): Promise<World> {
  const world: World = {
    address,
    admin: { id: '', cookie: '' },
    client: { client_id: '', client_secret: '' },
    staffRole: '',
    otherRole: '',
    ask: (method, path, asked) => ask(world.address, method, path, asked),
    async demand(status, method, path, asked) {
      const answer = await world.ask(method, path, asked)
      assert.equal(answer.status, status, `${method} ${path}: ${answer.body}`)
      return answer
    },
    asAdmin: (status, method, path, json) =>
      world.demand(status, method, path, {
        cookie: world.admin.cookie,
        ...(json === undefined ? {} : { json }),
      }),
  }
  const registered = await world.demand(201, 'POST', '/api/auth/register', {
    json: { email: 'admin@example.com', password: passwordOf('admin@example.com', 0) },
  })
  world.admin = { id: registered.json<{ user: { id: string } }>().user.id, cookie: sessionOf(registered) }
  await world.asAdmin(200, 'POST', '/api/admin/bootstrap', { secret: BOOTSTRAP_SECRET })
  const application = { name: 'Example', clientType: 'confidential', redirectUris: [REDIRECT_URI], scopes: ALL_SCOPES }
  world.client = (await world.asAdmin(201, 'POST', '/oauth/clients', application)).json()
  const makeRole = async (name: string, permissions: string[]) => {
    const made = await world.asAdmin(201, 'POST', '/api/admin/roles', { name, permissions })
    return made.json<{ role: { id: string } }>().role.id
  }
  world.staffRole = await makeRole('staff', ['ssh:keys:manage', 'ssh:cert:issue'])
  world.otherRole = await makeRole('other', ['users:read'])
  return world
}

export const passwordOf = (email: string, version: number): string =>
  `a long password ${version} of ${email.split('@')[0]}!`

/** The application's credentials, for a form. */
export const credentialsOf = ({ client: { client_id, client_secret } }: World) => ({ client_id, client_secret })
