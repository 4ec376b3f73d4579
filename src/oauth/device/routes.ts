import { Type } from 'typebox'
import { actorOf } from '../../identity/sessions/actor.ts'
import { signedIn } from '../../identity/sessions/guards.ts'
import { networkOf } from '../../identity/sign-in/device-store.ts'
import { Nullable, type Routes, Success, failures, strict, success } from '../../platform/http/contracts.ts'
import { sourceOf } from '../../platform/http/request-source.ts'
import { VisibleName, toVisible } from '../../platform/http/visible-name.ts'
import { SignedInAs, signedInAs } from '../authorizations/signed-in-as.ts'
import { readClientRequest } from '../clients/authenticate-client.ts'
import { ClientCredentials, Parameter, clientSecurity, consumes, oauthFailures } from '../protocol/contracts.ts'
import type { Provider } from '../provider.ts'
import { authorizeDevice } from './authorize-device.ts'
import { decideDevice, readDevice } from './decide-device.ts'

const DeviceForm = Type.Object({
  ...ClientCredentials,
  scope: Parameter('Scopes, separated by spaces.'),
  code_challenge: Parameter('Optional: BASE64URL(SHA256(code_verifier)).'),
  code_challenge_method: Parameter('With a code_challenge: S256.'),
  device_name: Type.Optional(
    VisibleName({ maxLength: 64, description: 'Shown to the person who decides, beside the address of the device.' }),
  ),
})

const DeviceAuthorization = Type.Object(
  {
    device_code: Type.String(),
    user_code: Type.String({ description: 'Eight letters with a dash, for the person.' }),
    verification_uri: Type.String(),
    verification_uri_complete: Type.String({
      description: 'The same with the code in it. Opening it approves nothing.',
    }),
    expires_in: Type.Integer(),
    interval: Type.Integer({ description: 'Seconds between two requests at the token endpoint.' }),
  },
  { title: 'DeviceAuthorization' },
)

/** Where a device without a browser begins. */
export const deviceRoutes =
  (provider: Provider): Routes =>
  async (app) => {
    app.post(
      '/oauth/device_authorization',
      {
        schema: {
          tags: ['OAuth'],
          summary: 'Begin the sign-in of a device that has no browser',
          description: 'RFC 8628. The device then polls the token endpoint with the device code.',
          security: clientSecurity,
          consumes,
          body: DeviceForm,
          response: { 200: DeviceAuthorization, ...oauthFailures(400, 401, 415, 429, 503) },
        },
      },
      (request) => authorizeDevice(provider, readClientRequest(provider.locate, request)),
    )
  }

const tags = ['Consent']

const UserCode = Type.String({
  minLength: 1,
  maxLength: 64,
  description: 'As the person typed it: case, dashes and spaces do not matter.',
})

const DeviceDetails = Type.Object(
  {
    client_id: Type.String(),
    name: Type.String(),
    scopes: Type.Array(Type.String()),
    user: SignedInAs,
    device: Type.Object({
      name: Nullable(Type.String({ description: 'What the device calls itself. Anybody can choose it.' })),
      ipAddress: Type.String(),
      geolocation: Type.Object({
        country: Nullable(Type.String()),
        city: Nullable(Type.String()),
        region: Nullable(Type.String()),
      }),
      userAgent: Nullable(Type.String()),
      sameNetwork: Type.Boolean({ description: 'Whether this request comes from the network that the device is in.' }),
    }),
  },
  { title: 'DeviceDetails' },
)

/** The data of the page on which a person lets a device in, and the decision. */
export const deviceDecisionRoutes =
  (provider: Provider): Routes =>
  async (app) => {
    app.get(
      '/oauth/device/details',
      {
        onRequest: signedIn(provider),
        schema: {
          tags,
          summary: 'The device that waits with this code',
          querystring: Type.Object({ user_code: UserCode }, strict),
          response: { 200: DeviceDetails, ...failures(400, 401, 404, 429) },
        },
      },
      async (request) => {
        const { user } = request.signedIn
        const source = sourceOf(provider.locate, request)
        const asked = { userCode: request.query.user_code, userId: user.id, source }
        const { device, client } = await readDevice(provider, asked)
        const { country, city, region } = device
        return {
          client_id: client.client_id,
          name: toVisible(client.name),
          scopes: device.scope.split(' '),
          user: await signedInAs(provider.db.read, user),
          device: {
            name: device.device_name,
            ipAddress: device.ip_address,
            geolocation: { country, city, region },
            userAgent: device.user_agent,
            sameNetwork: networkOf(device.ip_address) === networkOf(source.ipAddress),
          },
        }
      },
    )

    app.post(
      '/oauth/device/approve',
      {
        onRequest: signedIn(provider),
        schema: {
          tags,
          summary: 'Let the device that waits with this code in, or refuse it',
          description:
            '403 `step_up_needed` with `acr` where the application demands more than this session has: prove it at `/api/auth/fresh`, and send this again.',
          body: Type.Object(
            {
              user_code: UserCode,
              approve: Type.Optional(Type.Boolean({ description: 'Absent means yes.' })),
            },
            strict,
          ),
          response: { 200: Success, ...failures(400, 401, 403, 404, 415, 429) },
        },
      },
      async (request) => {
        const { user_code: userCode, approve = true } = request.body
        const actor = actorOf(provider, request)
        await decideDevice(provider, { userCode, approve, signedIn: request.signedIn, actor })
        return success
      },
    )
  }
