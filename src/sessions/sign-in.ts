import { recordEvent } from '../audit/record-event.ts'
import type { Caller } from '../http/caller.ts'
import { notify } from '../notifications/notify.ts'
import type { Services } from '../services.ts'
import type { Trx } from '../storage/database.ts'
import type { User } from '../users/user.ts'
import { markSeen } from './device-store.ts'
import type { SignInMethod } from './session.ts'
import { rememberBrowser } from './remember-browser.ts'
import { type SignedInSession, startSession } from './start-session.ts'

interface SigningIn {
  user: User
  method: SignInMethod
  amr: string[]
  remember: boolean
  caller: Caller
}

/**
 * What every sign-in ends with, whichever way the person proved who they are. Call it in the transaction that holds the
 * last of the proof, so that there is no session without it and no proof used up without a session.
 */
export async function signIn(
  services: Pick<Services, 'now' | 'random' | 'signals'>,
  trx: Trx,
  { user, method, amr, remember, caller }: SigningIn,
): Promise<SignedInSession> {
  const session = await startSession(services, trx, { userId: user.id, method, amr, remember, caller })
  await trx.updateTable('users').set({ last_login_at: services.now() }).where('id', '=', user.id).execute()
  await recordEvent(services, trx, {
    action: 'session.started',
    outcome: 'success',
    actor: { id: user.id, email: user.email, caller },
    target: { type: 'session', id: session.id },
    data: { method },
  })
  const isNewPlace = await markSeen(trx, user.id, caller, services.now())
  if (isNewPlace) {
    const { country, city } = caller.geolocation
    await notify(services, trx, user.id, 'security.new_login', {
      ipAddress: caller.ipAddress,
      userAgent: caller.userAgent,
      country,
      city,
    })
  }
  return { ...session, browserTokens: await rememberBrowser(services, trx, user.id, caller) }
}
