import { Type } from 'typebox'
import type { Routes } from '../../platform/http/contracts.ts'
import { VisibleName } from '../../platform/http/visible-name.ts'
import { readClientRequest } from '../clients/client-request.ts'
import { ClientCredentials, clientSecurity, consumes, oauthFailures, Parameter } from '../contracts.ts'
import type { Provider } from '../provider.ts'
import { authorizeDevice } from './authorize-device.ts'

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
