import { recordEvent } from '../../platform/audit/record-event.ts'
import type { RequestSource } from '../../platform/http/request-source.ts'
import { markCodeRevoked } from '../authorize/code-store.ts'
import type { Provider } from '../provider.ts'

interface Reuse {
  action: 'oauth_code.reused' | 'oauth_refresh_token.reused'
  codeHash: string
  userId: string
  clientId: string
  source: RequestSource
}

/**
 * A code or refresh token that is used again is in the hands of two parties, and it is unknown which of them is the
 * application. All tokens of the authorization are revoked (RFC 6749 section 4.1.2, RFC 9700 section 4.14.2).
 */
export async function revokeReusedAuthorization(
  provider: Pick<Provider, 'db' | 'now' | 'observeEvent'>,
  { action, codeHash, userId, clientId, source }: Reuse,
): Promise<void> {
  const { db, now } = provider
  await db.transaction(async (trx) => {
    if (!(await markCodeRevoked(trx, codeHash, now()))) return
    await recordEvent(provider, trx, {
      action,
      outcome: 'refused',
      actor: { id: userId, email: null, source },
      target: { type: 'oauth_client', id: clientId },
    })
  })
}
