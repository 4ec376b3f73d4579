import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { AppError } from '../../errors.ts'
import type { Routes } from '../../platform/http/contracts.ts'
import { readBearer } from '../../platform/http/credentials.ts'
import { consumes, oauthFailures } from '../contracts.ts'
import type { Parameters } from '../parameters.ts'
import type { Provider } from '../provider.ts'
import { readUserinfo } from './userinfo.ts'

const Userinfo = Type.Object(
  {
    sub: Type.String(),
    name: Type.Optional(Type.String()),
    given_name: Type.Optional(Type.String()),
    family_name: Type.Optional(Type.String()),
    preferred_username: Type.Optional(Type.String()),
    picture: Type.Optional(Type.String()),
    email: Type.Optional(Type.String()),
    email_verified: Type.Optional(Type.Boolean()),
    groups: Type.Optional(Type.Array(Type.String())),
  },
  { title: 'Userinfo', additionalProperties: true },
)

const schema = {
  tags: ['OAuth'],
  description: 'OpenID Connect Core 5.3. The claims depend on the scopes of the access token.',
  security: [{ bearer: [] }],
  response: { 200: Userinfo, ...oauthFailures(400, 401, 403, 503) },
}

/** Who the user of an access token is. */
export const userinfoRoutes =
  (provider: Provider): Routes =>
  async (app) => {
    app.get('/oauth/userinfo', { schema: { ...schema, summary: 'Who the user is' } }, (request) =>
      readUserinfo(provider, readToken(request)),
    )
    app.post(
      '/oauth/userinfo',
      // RFC 6750 section 2.2 lets a form carry the token, so there may be a body and need not be one.
      { schema: { ...schema, summary: 'Who the user is, by POST', consumes } },
      (request) => readUserinfo(provider, readToken(request, (request.body as Parameters | undefined) ?? {})),
    )
  }

/** RFC 6750 section 2: in the header or in a form, never in the URL, never in two places. */
function readToken(request: FastifyRequest, form: Parameters = {}): string | undefined {
  const inHeader = readBearer(request)
  const inForm = form['access_token']
  if (inHeader !== undefined && inForm !== undefined)
    throw new AppError('invalid_request', 'The access token is given twice.', {
      challenge: 'Bearer error="invalid_request"',
    })
  return inHeader ?? inForm
}
