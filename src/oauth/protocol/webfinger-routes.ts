import { Type } from 'typebox'
import type { Config } from '../../platform/config/config.ts'
import { failures, type Routes } from '../../platform/http/contracts.ts'

const ISSUER = 'http://openid.net/specs/connect/1.0/issuer'
const Link = Type.String({ maxLength: 2048 })

/**
 * RFC 7033, as OpenID Connect Discovery 1.0 uses it: which issuer signs somebody in. The answer is the same for every resource, so that
 * nobody learns who has an account.
 */
export const webFingerRoutes =
  ({ config }: { config: Pick<Config, 'baseUrl'> }): Routes =>
  async (app) => {
    app.get(
      '/.well-known/webfinger',
      {
        schema: {
          tags: ['Discovery'],
          summary: 'The issuer for an address',
          description: 'WebFinger (RFC 7033) with the relation of OpenID Connect. It answers the same for everybody.',
          querystring: Type.Object({
            resource: Type.String({
              minLength: 1,
              maxLength: 2048,
              pattern: '^[A-Za-z][A-Za-z0-9+.-]*:[!-~]+$',
              description: 'A URI, such as acct:ada@example.com.',
            }),
            rel: Type.Optional(Type.Union([Link, Type.Array(Link, { maxItems: 20 })])),
          }),
          response: {
            200: Type.Object({
              subject: Type.String(),
              links: Type.Array(Type.Object({ rel: Type.String(), href: Type.String() })),
            }),
            ...failures(400),
          },
        },
      },
      async ({ query: { resource, rel } }, reply) => {
        const links = rel === undefined || [rel].flat().includes(ISSUER) ? [{ rel: ISSUER, href: config.baseUrl }] : []
        void reply.type('application/jrd+json')
        return { subject: resource, links }
      },
    )
  }
