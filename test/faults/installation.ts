import assert from 'node:assert/strict'
import { ALL_SCOPES, REDIRECT_URI } from '../support/application.ts'
import { type Answer, sendRequest, type RequestContent, sessionOf } from '../support/http-client.ts'

export const BOOTSTRAP_SECRET = 'a-bootstrap-secret-for-the-fault-tests'

/** The environment of the replicas. Without rate limits, because the traffic would exceed them. */
export const ENVIRONMENT = { RATE_LIMITS: 'off', ADMIN_BOOTSTRAP_SECRET: BOOTSTRAP_SECRET, LOG_LEVEL: 'warn' }

/** A service with an administrator, an application and two roles, all created through its API. */
export interface Installation {
  /** The current address of the service. */
  address: string
  admin: { id: string; cookie: string }
  client: { client_id: string; client_secret: string }
  /** Permits its holders to get certificates. */
  staffRole: string
  /** Granted and revoked by the tests. */
  otherRole: string
  send(method: string, path: string, content?: RequestContent): Promise<Answer>
  /** Sends a request and asserts the status of the answer. */
  expectStatus(status: number, method: string, path: string, content?: RequestContent): Promise<Answer>
  /** `expectStatus` with the session of the administrator. */
  asAdmin(status: number, method: string, path: string, json?: unknown): Promise<Answer>
}

export async function createInstallation(address: string): Promise<Installation> {
  const installation: Installation = {
    address,
    admin: { id: '', cookie: '' },
    client: { client_id: '', client_secret: '' },
    staffRole: '',
    otherRole: '',
    send: (method, path, content) => sendRequest(installation.address, method, path, content),
    async expectStatus(status, method, path, content) {
      const answer = await installation.send(method, path, content)
      assert.equal(answer.status, status, `${method} ${path}: ${answer.body}`)
      return answer
    },
    asAdmin: (status, method, path, json) =>
      installation.expectStatus(status, method, path, {
        cookie: installation.admin.cookie,
        ...(json === undefined ? {} : { json }),
      }),
  }
  const registered = await installation.expectStatus(201, 'POST', '/api/auth/register', {
    json: { email: 'admin@example.com', password: passwordOf('admin@example.com', 0) },
  })
  installation.admin = { id: registered.json<{ user: { id: string } }>().user.id, cookie: sessionOf(registered) }
  await installation.asAdmin(200, 'POST', '/api/admin/bootstrap', { secret: BOOTSTRAP_SECRET })
  const application = { name: 'Example', clientType: 'confidential', redirectUris: [REDIRECT_URI], scopes: ALL_SCOPES }
  installation.client = (await installation.asAdmin(201, 'POST', '/oauth/clients', application)).json()
  const createRole = async (name: string, permissions: string[]) => {
    const made = await installation.asAdmin(201, 'POST', '/api/admin/roles', { name, permissions })
    return made.json<{ role: { id: string } }>().role.id
  }
  installation.staffRole = await createRole('staff', ['ssh:keys:manage', 'ssh:cert:issue'])
  installation.otherRole = await createRole('other', ['users:read'])
  return installation
}

export const passwordOf = (email: string, version: number): string =>
  `a long password ${version} of ${email.split('@')[0]}!`

/** The client credentials as form parameters. */
export const credentialsOf = ({ client: { client_id, client_secret } }: Installation) => ({ client_id, client_secret })
