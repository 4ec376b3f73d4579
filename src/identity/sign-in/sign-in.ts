import { recordEvent } from '../../platform/audit/record-event.ts'
import type { Services } from '../../platform/services.ts'
import type { Trx } from '../../storage/database.ts'
import type { SignInMethod } from '../../vocabulary/sign-in-methods.ts'
import { notify } from '../notifications/notify.ts'
import { type SignedInSession, startSession } from '../sessions/start-session.ts'
import type { User } from '../users/user.ts'
import { markSeen } from './device-store.ts'
import { rememberBrowser } from './remember-browser.ts'
import type { SignInSource } from './sign-in-source.ts'
import { markSignedIn } from './sign-in-store.ts'

interface SignInRequest {
  user: User
  method: SignInMethod
  amr: string[]
  remember: boolean
  source: SignInSource
}

/**
 * The last step of every sign-in, with a password or a passkey. It runs in the transaction that consumes the credential, so
 * that neither happens without the other.
 */
export async function signIn(
  services: Pick<Services, 'now' | 'random' | 'signals'>,
  trx: Trx,
  { user, method, amr, remember, source }: SignInRequest,
): Promise<SignedInSession> {
  const session = await startSession(services, trx, { userId: user.id, method, amr, remember, source })
  markSignedIn(trx, user.id, services.now(), source.locale)
  const [isNewDevice] = await Promise.all([
    markSeen(trx, user.id, source, services.now()),
    recordEvent(services, trx, {
      action: 'session.started',
      outcome: 'success',
      method,
      actor: { id: user.id, email: user.email, source },
      target: { type: 'session', id: session.id },
    }),
  ])
  if (isNewDevice) {
    const { country, city } = source.geolocation
    await notify(services, trx, user.id, 'security.new_login', {
      ipAddress: source.ipAddress,
      userAgent: source.userAgent,
      country,
      city,
    })
  }
  return { ...session, browserTokens: await rememberBrowser(services, trx, user.id, source) }
}
