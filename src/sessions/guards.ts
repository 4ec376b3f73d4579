import type { FastifyRequest, onRequestAsyncHookHandler } from 'fastify'
import type { Permission } from '../access/permissions.ts'
import { digest } from '../crypto/digest.ts'
import { refuse } from '../errors.ts'
import { readSessionCookie } from '../http/session-cookie.ts'
import type { Services } from '../services.ts'
import { isUnwritable } from '../storage/failure.ts'
import { type SignedIn, TOUCH_MS } from './session.ts'
import { findSignedIn, markUsed } from './session-store.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Set by the guards; only routes behind one may read it. */
    signedIn: SignedIn
  }
}

type Needs = Pick<Services, 'db' | 'now'>

/** A guard runs in onRequest, before the body is read: 401 and 403 come before 400. The API's description reads its mark. */
export type Guard = onRequestAsyncHookHandler & { permission: Permission | null }

/** Whoever has a live session. */
export const signedIn = (services: Needs): Guard => guard(services, null)

/** Whoever has a live session and holds the permission through a role. */
export const needs = (services: Needs, permission: Permission): Guard => guard(services, permission)

function guard(services: Needs, permission: Permission | null): Guard {
  const check = async (request: FastifyRequest): Promise<void> => {
    const who = await currentlySignedIn(services, request)
    // A missing cookie and a stale one answer alike.
    if (!who) return refuse('unauthenticated', 'Please sign in.')
    if (permission !== null && !who.permissions.has(permission)) {
      return refuse('forbidden', `This needs the permission ${permission}.`)
    }
    request.signedIn = who
  }
  return Object.assign(check, { permission })
}

/** For routes that serve people with and without a session. */
export async function currentlySignedIn({ db, now }: Needs, request: FastifyRequest): Promise<SignedIn | undefined> {
  const token = readSessionCookie(request)
  if (token === undefined) return undefined
  const who = await findSignedIn(db, digest(token), now())
  if (who && who.session.lastUsedAt <= now() - TOUCH_MS)
    await markUsed(db, who.session.id, now()).catch(passOverUnwritable)
  return who
}

/**
 * Nobody is turned away because it can't be written down that they came: on a full disk everything can still be read. A
 * database that does not answer is another matter. It would not answer what comes next either, and they would wait twice.
 */
function passOverUnwritable(error: unknown): void {
  if (!isUnwritable(error)) throw error
}
