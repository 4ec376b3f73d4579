import type { FastifyReply, FastifyRequest } from 'fastify'
import { recordEvent } from '../../platform/audit/record-event.ts'
import { digest } from '../../platform/crypto/digest.ts'
import { sourceOf } from '../../platform/http/request-source.ts'
import type { Trx } from '../../storage/database.ts'
import { writeStatement, type Values } from '../../storage/statement.ts'
import type { Locale } from '../../vocabulary/locales.ts'
import type { SignInMethod } from '../../vocabulary/sign-in-methods.ts'
import type { IdentityServices } from '../access-events.ts'
import { signOut } from '../sessions/end-sessions.ts'
import { readSessionCookie } from '../sessions/session-cookie.ts'
import { findSignedIn } from '../sessions/session-store.ts'
import { startSession, type SignedInSession } from '../sessions/start-session.ts'
import type { User } from '../users/user.ts'
import { markSeen } from './device-store.ts'
import { rememberBrowser } from './known-browsers.ts'
import { setSignInCookies, type SignInSource } from './sign-in-source.ts'
import { tellOwner, type TellServices } from './tell-owner.ts'

/** A browser that has been a known one for this long may make a passkey by itself after a sign-in with the password. */
const LONG_KNOWN_MS = 7 * 24 * 3_600_000

interface SignInRequest {
  user: User
  method: SignInMethod
  amr: string[]
  /** By a passkey that verified its user. */
  verified?: boolean
  remember: boolean
  source: SignInSource
}

/**
 * The last step of every sign-in, with a password or a passkey. It runs in the transaction that consumes the credential, so
 * that neither happens without the other.
 */
export async function signIn(
  services: TellServices,
  trx: Trx,
  { user, method, amr, verified, remember, source }: SignInRequest,
): Promise<SignedInSession> {
  const { tokens: browserTokens, knownSince } = await rememberBrowser(services, trx, user.id, source)
  const offersPasskey = method === 'password' && knownSince <= services.now() - LONG_KNOWN_MS
  const begun = { userId: user.id, method, amr, verified, remember, source, offersPasskey }
  const session = await startSession(services, trx, begun)
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
    const { ipAddress, userAgent } = source
    const data = { ipAddress, userAgent, country, city }
    await tellOwner(services, trx, user.id, { type: 'security.new_login', data, actor: { id: user.id, source } })
  }
  return { ...session, browserTokens }
}

type SignInServices = Pick<IdentityServices, 'config' | 'db' | 'locate' | 'now' | 'signals' | 'accessSubscribers'>

/**
 * Answers a successful sign-in with its cookies. They replace those of whoever was signed in to this browser: if that is
 * another user, that session ends, because nobody could end it from this browser any more.
 *
 * It ends in a transaction of its own. In that of the sign-in, two people who sign in at each other's browsers would wait
 * for each other's accounts.
 */
export async function completeSignIn(
  services: SignInServices,
  request: FastifyRequest,
  reply: FastifyReply,
  { user, session }: { user: User; session: SignedInSession },
): Promise<{ user: User }> {
  const { config, db, locate, now } = services
  const token = readSessionCookie(config, request)
  const replaced = token === undefined ? undefined : await findSignedIn(db.read, digest(token), now())
  if (replaced && replaced.user.id !== user.id)
    await signOut(services, replaced, sourceOf(locate, request), 'replaced_by_sign_in', user.id)
  setSignInCookies(config, reply, session)
  return { user }
}

const signedIn = writeStatement((db, value: Values<{ userId: string; now: number; locale: Locale | null }>) =>
  db
    .updateTable('users')
    .set((eb) => ({ last_login_at: value('now'), locale: eb.fn.coalesce('locale', eb.val(value('locale'))) }))
    .where('id', '=', value('userId')),
)

/** Also stores the language of the browser, if that of the user is not known yet. */
const markSignedIn = (trx: Trx, userId: string, now: number, locale: Locale | undefined): void =>
  signedIn.next(trx, { userId, now, locale: locale ?? null })
