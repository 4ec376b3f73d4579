import { Type } from 'typebox'
import { digest } from '../../platform/crypto/digest.ts'
import type { Routes } from '../../platform/http/contracts.ts'
import { sendTagged } from '../../platform/http/headers.ts'
import { listKeys, type StoredKey } from '../../platform/keys/service-key-store.ts'
import { toEcJwk } from '../../platform/keys/signing-keys.ts'
import type { Services } from '../../platform/services.ts'

const Jwk = Type.Object(
  {
    kid: Type.String(),
    retiredAt: Type.Optional(
      Type.Integer({
        description: 'When the key was withdrawn, in epoch milliseconds. Only what it signed before then counts.',
      }),
    ),
  },
  { additionalProperties: true },
)

/** The keys that proofs of leaving are signed with, for those who check them, also after years. */
export const proofKeyRoutes =
  ({ config, db }: Pick<Services, 'config' | 'db'>): Routes =>
  async (app) => {
    app.get(
      '/.well-known/latchkey-proof-keys.json',
      {
        schema: {
          tags: ['Discovery'],
          summary: 'The keys of proofs of leaving',
          description:
            'A JWK Set (RFC 7517) with the issuer of the proofs. Keys that were withdrawn stay in it, with `retiredAt`: they do not verify tokens any more.',
          response: { 200: Type.Object({ issuer: Type.String(), keys: Type.Array(Jwk) }) },
        },
      },
      async (request, reply) => {
        const keys = (await listKeys(db.read, 'signing', 'all')).map(toProofKey)
        const text = JSON.stringify({ issuer: config.baseUrl, keys })
        reply.header('cache-control', 'public, max-age=300').type('application/json; charset=utf-8')
        return sendTagged(request, reply, `"${digest(text)}"`, text)
      },
    )
  }

function toProofKey({ id, publicKey, retiredAt = null }: StoredKey) {
  const jwk = toEcJwk({ id, publicKey })
  return retiredAt === null ? jwk : { ...jwk, retiredAt }
}
