import { type Connection, expect, postForm, postJson, type Step } from './connection.ts'
import { type Fixture, ISSUER } from './fixture.ts'

const GRANT_TYPE = 'urn:ietf:params:oauth:grant-type:device_code'

/** An application for devices. A step begins the sign-in of one, approves it as a person, and gets its tokens. */
export async function deviceFlow(connection: Connection, { people }: Fixture): Promise<Step> {
  const asPerson = (at: number) => ({ Cookie: `session=${people[at % people.length]?.session}`, Origin: ISSUER })
  const client = { clientType: 'public', name: 'Television', scopes: ['openid'], grantTypes: [GRANT_TYPE] }
  const made = await connection.send(postJson('/oauth/clients', { ...client, redirectUris: [] }, asPerson(0)))
  expect(made, 201, '"client_id"')
  const clientId = /"client_id":"([^"]+)"/.exec(made.body)?.[1] ?? ''

  return async (own, worker) => {
    const begun = await own.send(postForm('/oauth/device_authorization', { client_id: clientId, scope: 'openid' }))
    expect(begun, 200, '"device_code"')
    const { device_code: deviceCode, user_code: userCode } = JSON.parse(begun.body) as Record<string, string>
    const approval = postJson('/oauth/device/approve', { user_code: userCode, approve: true }, asPerson(worker))
    expect(await own.send(approval), 200, '"success":true')
    const fields = { grant_type: GRANT_TYPE, device_code: deviceCode ?? '', client_id: clientId }
    expect(await own.send(postForm('/oauth/token', fields)), 200, '"id_token"')
  }
}
