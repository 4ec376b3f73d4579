import { digest } from '../../platform/crypto/digest.ts'
import type { Provider } from '../provider.ts'
import { deleteAccessToken, markFamilyRevoked } from './token-store.ts'

/** RFC 7009. The prefix of the token says what it is, so a wrong token_type_hint does not matter (section 2.1). */
export async function revokeToken({ db, now }: Pick<Provider, 'db' | 'now'>, clientId: string, token: string) {
  await db.transaction((trx) =>
    token.startsWith('rt_')
      ? markFamilyRevoked(trx, digest(token), clientId, now())
      : deleteAccessToken(trx, digest(token), clientId),
  )
}
