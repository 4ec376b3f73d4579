import type { FastifyRequest } from 'fastify'
import { refuse } from '../../errors.ts'
import { digest } from '../../platform/crypto/digest.ts'
import type { Services } from '../../platform/services.ts'
import { sshHostErrors } from '../ssh-errors.ts'
import { findHostToken, lockHostOfToken, markTokenUsed } from './host-credential-store.ts'
import { markHostSeen } from './host-store.ts'

/** How often it is written that a host was here. */
const SEEN_MS = 30_000

export const tokenHashOf = (request: FastifyRequest): string | undefined => {
  const [, token] = /^Bearer +([A-Za-z0-9_-]{1,256})$/i.exec(request.headers.authorization ?? '') ?? []
  return token === undefined ? undefined : digest(token)
}

/** A host that has proved by its token which one it is. */
export interface EnrolledHost {
  id: string
  /** The roles that it admits; null for everybody. */
  allowedRoles: string[] | null
}

interface Options {
  /** False where what follows writes that the host was here. */
  writesSeen?: boolean
}

/** The host whose token a request carries; undefined without a live one. Its first use ends the tokens before it. */
export async function findHost(
  { db, now }: Pick<Services, 'db' | 'now'>,
  request: FastifyRequest,
  { writesSeen = true }: Options = {},
): Promise<EnrolledHost | undefined> {
  const hash = tokenHashOf(request)
  const found = hash === undefined ? undefined : await findHostToken(db.read, hash)
  if (hash === undefined || !found) return undefined
  const host = { id: found.hostId, allowedRoles: found.allowedRoles }
  const isSeen = found.lastSeenAt !== null && Math.abs(now() - found.lastSeenAt) < SEEN_MS
  if (found.isUsed) {
    // Thousands of hosts come back within a minute: one statement, and no lock that others wait for.
    if (writesSeen && !isSeen) await markHostSeen(db, host.id, now())
    return host
  }
  return db.transaction(async (trx) => {
    const hostId = await lockHostOfToken(trx, hash)
    if (hostId === undefined) return undefined
    await markTokenUsed(trx, hash, hostId)
    await markHostSeen(trx, hostId, now())
    return host
  })
}

/** The same; without one it throws. */
export const requireHost = async (
  services: Pick<Services, 'db' | 'now'>,
  request: FastifyRequest,
  options?: Options,
): Promise<EnrolledHost> => (await findHost(services, request, options)) ?? refuseHost()

/** Refuses a request whose token has ended since it was let through. */
export async function recheckToken({ db }: Pick<Services, 'db'>, request: FastifyRequest): Promise<void> {
  const hash = tokenHashOf(request)
  if (hash === undefined || !(await findHostToken(db.read, hash))) refuseHost()
}

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
    /** Set behind `needsHost`. */
    enrolledHost: EnrolledHost | undefined
  }
}

/** Lets enrolled hosts through. Runs in onRequest, before the body is read: 401 comes before 400. */
export const needsHost =
  (services: Pick<Services, 'db' | 'now'>, options?: Options) => async (request: FastifyRequest) => {
    request.enrolledHost = await requireHost(services, request, options)
  }

/** The host behind `needsHost`. */
export const hostOf = ({ enrolledHost }: Pick<FastifyRequest, 'enrolledHost'>): EnrolledHost =>
  enrolledHost ?? refuseHost()

export const refuseHost = (): never => refuse(sshHostErrors.host_token_needed({ challenge: 'Bearer' }))
