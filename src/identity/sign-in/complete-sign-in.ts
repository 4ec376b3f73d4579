import type { FastifyReply, FastifyRequest } from 'fastify'
import { digest } from '../../platform/crypto/digest.ts'
import { sourceOf } from '../../platform/http/request-source.ts'
import type { Services } from '../../platform/services.ts'
import { readSessionCookie } from '../sessions/session-cookie.ts'
import { findSignedIn } from '../sessions/session-store.ts'
import { signOut } from '../sessions/sign-out.ts'
import type { SignedInSession } from '../sessions/start-session.ts'
import type { User } from '../users/user.ts'
import { setSignInCookies } from './sign-in-cookies.ts'

type Needs = Pick<Services, 'config' | 'db' | 'locate' | 'now' | 'signals'>

/**
 * Answers a successful sign-in with its cookies. They replace those of whoever was signed in to this browser: if that is
 * another user, that session ends, because nobody could end it from this browser any more.
 *
 * It ends in a transaction of its own. In that of the sign-in, two people who sign in at each other's browsers would wait
 * for each other's accounts.
 */
export async function completeSignIn(
  services: Needs,
  request: FastifyRequest,
  reply: FastifyReply,
  { user, session }: { user: User; session: SignedInSession },
): Promise<{ user: User }> {
  const { config, db, locate, now } = services
  const token = readSessionCookie(config, request)
  const replaced = token === undefined ? undefined : await findSignedIn(db.read, digest(token), now())
  if (replaced && replaced.user.id !== user.id) await signOut(services, replaced, sourceOf(locate, request), user.id)
  setSignInCookies(config, reply, session)
  return { user }
}
