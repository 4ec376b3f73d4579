import type { FastifyRequest } from 'fastify'
import type { Permission } from '../access/permissions.ts'
import { digest } from '../crypto/digest.ts'
import { refuse } from '../errors.ts'
import type { Guard } from '../http/contracts.ts'
import type { Services } from '../services.ts'
import { isDue, MAX_CLOCK_SKEW_MS } from '../storage/due.ts'
import { isUnwritable } from '../storage/failure.ts'
import { readSessionCookie } from './session-cookie.ts'
import { findSignedIn, findSignedInAccount, markUsed } from './session-store.ts'
import { type SignedIn, type SignedInAccount, TOUCH_MS } from './session.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Set by the guards; only routes behind one may read it. */
    signedIn: SignedIn
    /** Set by `signedInAccount` alone. */
    account: SignedInAccount
  }
}

type Needs = Pick<Services, 'config' | 'db' | 'now'>

/** Lets in anybody with a live session. */
export const signedIn = (services: Needs): Guard => guard(services, null)

/** Lets in anybody with a live session who holds the permission through a role. */
export const needs = (services: Needs, permission: Permission): Guard => guard(services, permission)

/** The same as `signedIn`, for the route that returns the whole account. */
export const signedInAccount = (services: Needs): Guard =>
  marked(null, async (request) => {
    const { db, now } = services
    const account = await readSession(services, request, (hash) => findSignedInAccount(db.read, hash, now()))
    request.account = account ?? pleaseSignIn()
    request.signedIn = request.account
  })

function guard(services: Needs, permission: Permission | null): Guard {
  const { db, now } = services
  return marked(permission, async (request) => {
    const found = await readSession(services, request, (hash) => findSignedIn(db.read, hash, now(), permission))
    const who = found ?? pleaseSignIn()
    if (permission !== null && !who.isPermitted) refuse('forbidden', `This needs the permission ${permission}.`)
    request.signedIn = who
  })
}

const marked = (permission: Permission | null, check: (request: FastifyRequest) => Promise<void>): Guard =>
  Object.assign(check, { permission })

/** A missing cookie and a stale one get the same answer. */
const pleaseSignIn = (): never => refuse('unauthenticated', 'Please sign in.')

/** For routes that serve people with and without a session. */
export const currentlySignedIn = (services: Needs, request: FastifyRequest): Promise<SignedIn | undefined> =>
  readSession(services, request, (hash) => findSignedIn(services.db.read, hash, services.now()))

async function readSession<T extends { session: { id: string; lastUsedAt: number } }>(
  { config, db, now }: Needs,
  request: FastifyRequest,
  find: (hash: string) => Promise<T | undefined>,
): Promise<T | undefined> {
  const token = readSessionCookie(config, request)
  if (token === undefined) return undefined
  const found = await find(digest(token))
  // A time in the future was written under a wrong clock, and would keep an unused session alive until then.
  if (found && isDue(found.session.lastUsedAt + TOUCH_MS, now(), TOUCH_MS + MAX_CLOCK_SKEW_MS))
    await touch(db.transaction((trx) => markUsed(trx, found.session.id, now())))
  return found
}

/** A request that only reads does not wait longer for the write, as while another program has the database locked. */
const MAX_TOUCH_MS = 100

async function touch(marked: Promise<void>): Promise<void> {
  const { promise: late, resolve } = Promise.withResolvers<void>()
  const timer = setTimeout(resolve, MAX_TOUCH_MS)
  // It may fail after the wait is over: then the rejection would be unhandled.
  marked.catch(() => {})
  await Promise.race([marked.catch(ignoreUnwritable), late]).finally(() => clearTimeout(timer))
}

/**
 * A request is not refused because `last_used_at` can't be written: on a full disk everything can still be read. When the
 * database does not answer at all, it is refused at once: the next query would not be answered either.
 */
function ignoreUnwritable(error: unknown): void {
  if (!isUnwritable(error)) throw error
}
