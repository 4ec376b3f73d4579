import assert from 'node:assert/strict'
import type { Response } from 'light-my-request'
import { SSH_CLIENT_ID } from '../../../src/oauth/clients/client.ts'
import { DEVICE_CODE } from '../../../src/oauth/clients/grant-types.ts'
import type { TestApp } from '../../support/app.ts'
import {
  type Application,
  credentials,
  type Fields,
  postForm,
  registerApplication,
  type Tokens,
} from '../../support/application.ts'
import type { Person } from '../../support/people.ts'

/** The application for people that is built in. */
export const SSH_CLIENT: Application = { clientId: SSH_CLIENT_ID, secret: undefined, redirectUri: '' }

export const registerDeviceClient = (app: TestApp, change: Parameters<typeof registerApplication>[1] = {}) =>
  registerApplication(app, {
    name: 'Television',
    clientType: 'public',
    grantTypes: [DEVICE_CODE, 'refresh_token'],
    redirectUris: [],
    ...change,
  })

export interface Started {
  device_code: string
  user_code: string
  verification_uri: string
  verification_uri_complete: string
  expires_in: number
  interval: number
}

type Target = Pick<TestApp, 'app'>

export const askForDevice = (app: Target, client: Application, change: Fields = {}, headers = {}): Promise<Response> =>
  postForm(app, '/oauth/device_authorization', { ...credentials(client), scope: 'openid', ...change }, headers)

export async function startDevice(app: Target, client: Application, change: Fields = {}): Promise<Started> {
  const answer = await askForDevice(app, client, change)
  assert.equal(answer.statusCode, 200, answer.body)
  return answer.json<Started>()
}

export const poll = (app: Target, client: Application, deviceCode: string, change: Fields = {}): Promise<Response> =>
  postForm(app, '/oauth/token', {
    grant_type: DEVICE_CODE,
    ...credentials(client),
    device_code: deviceCode,
    ...change,
  })

/** The error of an answer, or its status when it is none. */
export const errorOf = async (answer: Promise<Response>): Promise<string> => {
  const { statusCode, body } = await answer
  return (JSON.parse(body) as { error?: string }).error ?? String(statusCode)
}

export const details = (person: Person, userCode: string) =>
  person.get(`/oauth/device/details?${new URLSearchParams({ user_code: userCode }).toString()}`)

export const decide = (person: Person, userCode: string, approve?: boolean) =>
  person.post('/oauth/device/approve', { user_code: userCode, ...(approve === undefined ? {} : { approve }) })

/** The whole flow, from the device's request to its tokens. */
export async function deviceTokens(
  app: Target,
  person: Person,
  client: Application,
  change: Fields = {},
): Promise<Tokens> {
  const started = await startDevice(app, client, change)
  assert.equal((await decide(person, started.user_code)).statusCode, 200)
  const answer = await poll(app, client, started.device_code)
  assert.equal(answer.statusCode, 200, answer.body)
  return answer.json<Tokens>()
}

export const sshTokens = (app: Target, person: Person): Promise<Tokens> =>
  deviceTokens(app, person, SSH_CLIENT, { scope: 'ssh' })
