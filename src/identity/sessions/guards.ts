import type {
  FastifyRequest,
  onRequestAsyncHookHandler,
  RawReplyDefaultExpression,
  RawRequestDefaultExpression,
  RawServerDefault,
  RouteGenericInterface,
} from 'fastify'
import { refuse } from '../../errors.ts'
import { digest } from '../../platform/crypto/digest.ts'
import type { Freshness, Guard, Lesser } from '../../platform/http/contracts.ts'
import { isChange } from '../../platform/http/cors.ts'
import { hasBearer, readBearer } from '../../platform/http/credentials.ts'
import type { Services } from '../../platform/services.ts'
import type { Permission } from '../../vocabulary/permissions.ts'
import { requireFresh, requireFreshAlways } from './fresh.ts'
import { refuseLesser } from './lesser.ts'
import { readSessionCookie } from './session-cookie.ts'
import { sessionErrors, bearerErrors } from './session-errors.ts'
import { findSignedIn, findSignedInAccount, markUsed } from './session-store.ts'
import { type Caller, type SignedIn, type SignedInAccount, type TokenBearer } from './session.ts'
import { touch } from './touch.ts'

declare const guarded: unique symbol

/** Marks the routes behind a guard, for the compiler only. Fastify passes this type of a hook on to the handler's request. */
interface GuardBrand<Who extends Caller> {
  readonly [guarded]: Who
}

/** A guard after which `request.signedIn` is of this type. */
type GuardFor<Who extends Caller> = Pick<Guard, 'permission' | 'alsoNeeds' | 'acceptsBearer' | 'freshness' | 'lesser'> &
  onRequestAsyncHookHandler<
    RawServerDefault,
    RawRequestDefaultExpression,
    RawReplyDefaultExpression,
    RouteGenericInterface,
    GuardBrand<Who>
  >

type SignedInBehind<Config> = Config extends GuardBrand<infer Who> ? Who : SignedIn | TokenBearer | undefined

declare module 'fastify' {
  // Fastify declares these parameters; a declaration that adds to its interface has to repeat all of them.
  interface FastifyRequest<
    RouteGeneric,
    RawServer,
    RawRequest,
    SchemaCompiler,
    TypeProvider,
    ContextConfig,
    Logger,
    RequestType,
  > {
    /** Who is signed in. Always set behind a guard; elsewhere the type includes undefined. */
    signedIn: SignedInBehind<ContextConfig>
  }
}

/** A request that a guard has let through. */
export type GuardedRequest = FastifyRequest & { signedIn: SignedIn }

type GuardServices = Pick<Services, 'config' | 'db' | 'now'>

/** Lets everybody through who has a live session. */
export const signedIn = (services: GuardServices, freshness?: Freshness): GuardFor<SignedIn> =>
  guard(services, null, freshness)

/** Lets everybody through who has a live session and holds the permission through a role. */
export const needs = (services: GuardServices, permission: Permission, freshness?: Freshness): GuardFor<SignedIn> =>
  guard(services, permission, freshness)

/** The same with two permissions. The transaction of a change checks the first one again, and its rule the other one. */
export const needsBoth = (
  services: GuardServices,
  permission: Permission,
  alsoNeeds: Permission,
  freshness?: Freshness,
): GuardFor<SignedIn> =>
  Object.assign(
    guardedBy<SignedIn>(permission, async (request) => {
      const who = await permittedSession(services, request, permission, undefined)
      await permittedSession(services, request, alsoNeeds, undefined)
      await checkFreshness(services, who, freshness)
      request.signedIn = who
    }),
    { alsoNeeds, freshness },
  )

/** Lets everybody through who has a live session, and reads the whole account. */
export const signedInAccount = (services: GuardServices): GuardFor<SignedInAccount> =>
  guardedBy(null, async (request) => {
    const { db, now } = services
    const account = await readSession(services, request, (hash) => findSignedInAccount(db.read, hash, now()))
    request.signedIn = account ?? refuseSignedOut()
  })

/**
 * For a route that also lets a session in which is less than a role of its owner demands: what ends something, or what sets up what is
 * demanded. Every other route refuses it.
 */
export const alsoLesser = <Who extends Caller>(lesser: Lesser, guard: GuardFor<Who>): GuardFor<Who> =>
  Object.assign(guard, { lesser })

function guard(
  services: GuardServices,
  permission: Permission | null,
  freshness: Freshness | undefined,
): GuardFor<SignedIn> {
  const made: GuardFor<SignedIn> = Object.assign(
    guardedBy<SignedIn>(permission, async (request: FastifyRequest) => {
      const who = await permittedSession(services, request, permission, made.lesser)
      await checkFreshness(services, who, freshness)
      request.signedIn = who
    }),
    { freshness },
  )
  return made
}

async function checkFreshness(
  { db, now }: GuardServices,
  { user, session: { provedAt } }: SignedIn,
  freshness: Freshness | undefined,
): Promise<void> {
  if (freshness === 'fresh') await requireFresh({ now }, db.read, { id: user.id, provedAt })
  if (freshness === 'always_fresh') await requireFreshAlways({ now }, db.read, { id: user.id, provedAt })
}

async function permittedSession(
  services: GuardServices,
  request: FastifyRequest,
  permission: Permission | null,
  lesser: Lesser | undefined,
): Promise<SignedIn> {
  const { db, now } = services
  const found = await readSession(services, request, (hash) => findSignedIn(db.read, hash, now(), permission))
  const who = found ?? refuseSignedOut()
  if (who.fallsShort) await refuseLesser({ now }, db.read, { userId: who.user.id, sessionId: who.session.id }, lesser)
  return { ...permitted(who, permission), ...(who.fallsShort ? { lesser } : {}) }
}

function permitted<Who extends Caller>(who: Who & { isPermitted: boolean }, permission: Permission | null): Who {
  if (permission !== null && !who.isPermitted) refuse(sessionErrors.permission_needed({ permission }))
  return who
}

/** Who holds a token that is live and good for this, by its digest, and whether a role of theirs has the permission. */
type FindBearer = (hash: string) => Promise<(TokenBearer & { isPermitted: boolean }) | undefined>

/** Like `needs`, for people with a session or with an access token. Of a request with a token nothing else counts. */
export const needsSessionOrToken = (
  services: GuardServices,
  permission: Permission,
  findBearer: FindBearer,
  freshness?: 'sometimes_fresh',
): GuardFor<Caller> => {
  const made: GuardFor<Caller> = Object.assign(
    guardedBy<Caller>(permission, async (request) => {
      request.signedIn = hasBearer(request)
        ? permitted((await findToken(request, findBearer)) ?? refuseToken(), permission)
        : await permittedSession(services, request, permission, made.lesser)
    }),
    { acceptsBearer: true, freshness },
  )
  return made
}

const findToken = async (request: FastifyRequest, findBearer: FindBearer) => {
  const token = readBearer(request)
  return token === undefined ? undefined : findBearer(digest(token))
}

/** RFC 6750 section 3.1. */
const refuseToken = (): never =>
  refuse(bearerErrors.access_token_not_good({ challenge: 'Bearer error="invalid_token"' }))

const guardedBy = <Who extends Caller>(
  permission: Permission | null,
  check: (request: FastifyRequest) => Promise<void>,
): GuardFor<Who> => Object.assign(check, { permission })

/** A missing cookie and a stale one get the same answer. */
const refuseSignedOut = (): never => refuse(sessionErrors.not_signed_in())

/** For routes that serve people with and without a session. */
export const currentlySignedIn = (services: GuardServices, request: FastifyRequest): Promise<SignedIn | undefined> =>
  readSession(services, request, (hash) => findSignedIn(services.db.read, hash, services.now()))

async function readSession<T extends { user: { id: string }; session: { id: string; lastUsedAt: number } }>(
  { config, db, now }: GuardServices,
  request: FastifyRequest,
  find: (hash: string) => Promise<T | undefined>,
): Promise<T | undefined> {
  if (hasBearer(request)) return undefined
  const token = readSessionCookie(config, request)
  if (token === undefined) return undefined
  const found = await find(digest(token))
  if (found) refuseOtherUser(request, found.user.id)
  if (found) await touch({ db, now }, found.session.lastUsedAt, (trx, at) => markUsed(trx, found.session.id, at))
  return found
}

/**
 * A page names the user that it was opened as. The browser may be signed in to another account since, in another tab; what
 * the page then sends must not change that other account. Checked before the permission, which is that of the other account.
 */
function refuseOtherUser(request: FastifyRequest, userId: string): void {
  const expected = request.headers['x-latchkey-user']
  if (expected === undefined || expected === userId || !isChange(request)) return
  refuse(sessionErrors.signed_in_as_another_user())
}
