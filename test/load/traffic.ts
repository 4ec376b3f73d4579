import { type Connection, expect, get, postJson, type Step } from '../../bench/connection.ts'
import { type Fixture, ISSUER } from '../../bench/fixture.ts'
import { OPERATIONS } from '../../bench/operations.ts'
import { ADMIN_ROLE } from '../../src/vocabulary/built-in-roles.ts'

/** One kind of request in the mixture. */
export interface Share {
  name: string
  /** Its frequency relative to the sum of all weights. */
  weight: number
  step: Step
}

/** Typical use of an installation: introspection is frequent, sign-ins are rare. */
const WEIGHTS: Record<string, number> = {
  discovery: 40,
  jwks: 60,
  'client-credentials': 80,
  introspection: 300,
  'introspection-unknown': 20,
  userinfo: 150,
  refresh: 60,
  'code-flow': 50,
  me: 120,
  certificates: 20,
  passkeys: 5,
}
const LOGIN_WEIGHT = 2
const LIST_WEIGHT = 4

const LISTS = [
  '/api/admin/users?limit=50',
  '/api/admin/users?q=person1',
  '/api/admin/audit?limit=50',
  '/api/ssh/certs?limit=50',
  '/api/notifications',
  '/api/auth/sessions',
  '/oauth/clients',
  '/api/account/oauth/grants',
]

/** Prepares all operations of the mixture. Steps get the number of their worker; steps of the same worker never run concurrently. */
export async function mixedTraffic(connection: Connection, fixture: Fixture, workers: number): Promise<Share[]> {
  const shares: Share[] = []
  for (const [name, weight] of Object.entries(WEIGHTS)) {
    const operation = OPERATIONS.find((each) => each.name === name)
    if (!operation) throw new Error(`There is no operation ${name}.`)
    shares.push({ name, weight, step: await operation.prepare(connection, fixture, workers) })
  }
  shares.push({ name: 'password login', weight: LOGIN_WEIGHT, step: await passwordLogin(connection, fixture) })
  const [reader] = fixture.people
  const headers = { Cookie: `session=${reader?.session}` }
  for (const path of LISTS) {
    const request = get(path, headers)
    const step: Step = async (each) => expect(await each.send(request), 200, '')
    shares.push({
      name: `list ${path.replace(/\?.*/, '')}${path.includes('q=') ? ', search' : ''}`,
      weight: LIST_WEIGHT,
      step,
    })
  }
  return shares
}

export const PASSWORD = 'a password for load tests'

export async function passwordLogin(connection: Connection, fixture: Fixture): Promise<Step> {
  const email = 'password-login@example.com'
  await addAdministrator(connection, fixture, email)
  const request = postJson('/api/auth/login', { email, password: PASSWORD }, { Origin: ISSUER })
  return async (each) => expect(await each.send(request), 200, '"user"')
}

/** Adds an administrator with a password. */
export async function addAdministrator(connection: Connection, { people }: Fixture, email: string): Promise<void> {
  const headers = { Cookie: `session=${people[0]?.session}`, Origin: ISSUER }
  const user = { email, password: PASSWORD, roleIds: [ADMIN_ROLE] }
  expect(await connection.send(postJson('/api/admin/users', user, headers)), 201, '"user"')
}
