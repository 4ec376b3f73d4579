import type { FastifyRequest } from 'fastify'
import { refuse } from '../../errors.ts'
import { digest } from '../../platform/crypto/digest.ts'
import type { Services } from '../../platform/services.ts'
import type { AttentionReason } from '../../vocabulary/host-attention.ts'
import { sshHostErrors } from '../ssh-errors.ts'
import { deleteAttention } from './host-attention-store.ts'
import { type AttentionServices, raiseAttention } from './host-attention.ts'
import {
  findHostToken,
  type HostToken,
  isHostDeleted,
  lockHostOfToken,
  markTokenUsed,
} from './host-credential-store.ts'
import { markHostSeen } from './host-store.ts'
import { readHostToken } from './host-token.ts'
import type { AccountKind } from './host.ts'

/** How often it is written that a host was here. */
const SEEN_MS = 30_000

const tokenOf = (request: FastifyRequest): string | undefined =>
  /^Bearer +([A-Za-z0-9_-]{1,256})$/i.exec(request.headers.authorization ?? '')?.[1]

export const tokenHashOf = (request: FastifyRequest): string | undefined => {
  const token = tokenOf(request)
  return token === undefined ? undefined : digest(token)
}

/** A host that has proved by its token which one it is. */
export interface EnrolledHost {
  id: string
  /** The roles that it admits; null for everybody. */
  allowedRoles: string[] | null
  /** Whose accounts it has; of a host that was deleted its own. */
  accounts: AccountKind
  /** It gets empty lists, so that it closes. Only where `forLists` lets it through. */
  isDeleted: boolean
  /** Why administrators should look at it. */
  attention: AttentionReason[]
}

interface Options {
  /** False where what follows writes that the host was here. */
  writesSeen?: boolean
  /**
   * For what a host only reads: lets deleted hosts through, and those that were enrolled again and have not used the new token yet, because
   * the answer that had it may have been lost.
   */
  forLists?: boolean
  /** False for a request that has waited: its token may have been replaced meanwhile, which says nothing about the host. */
  raises?: boolean
}

type HostServices = AttentionServices & Pick<Services, 'vault'>

/** The host whose token a request carries; undefined without one. Its first use ends the tokens before it. */
export async function findHost(
  services: HostServices,
  request: FastifyRequest,
  { writesSeen = true, forLists = false, raises = true }: Options = {},
): Promise<EnrolledHost | undefined> {
  const { db } = services
  const token = tokenOf(request)
  if (token === undefined) return undefined
  const hash = digest(token)
  const found = await findHostToken(db.read, hash)
  if (found?.standing === 'live') return useToken(services, hash, found, writesSeen)
  const hostId = found?.hostId ?? readHostToken(services, token)
  // Anybody may have made it up, and it costs no more than this.
  if (hostId === undefined) return undefined
  const isDeleted = found === undefined ? await isHostDeleted(db.read, hostId) : found.standing === 'deleted'
  if (isDeleted)
    return forLists ? { id: hostId, allowedRoles: [], accounts: 'existing', isDeleted, attention: [] } : undefined
  if (found?.standing === 'reading' && forLists) return hostOfToken(found)
  const reason = found?.standing === 'superseded' ? 'token_reused' : 'token_refused'
  if (raises) await raiseAttention(services, { hostId, reason })
  return undefined
}

const hostOfToken = ({ hostId, allowedRoles, accounts, attention }: HostToken): EnrolledHost => ({
  id: hostId,
  allowedRoles,
  accounts,
  isDeleted: false,
  attention,
})

async function useToken(
  { db, now }: HostServices,
  hash: string,
  found: HostToken,
  writesSeen: boolean,
): Promise<EnrolledHost | undefined> {
  const { hostId, isUsed, lastSeenAt } = found
  const host = hostOfToken(found)
  const isSeen = lastSeenAt !== null && Math.abs(now() - lastSeenAt) < SEEN_MS
  if (isUsed) {
    // Thousands of hosts come back within a minute: one statement, and no lock that others wait for.
    if (writesSeen && !isSeen) await markHostSeen(db, host.id, now())
    return host
  }
  return db.transaction(async (trx) => {
    if ((await lockHostOfToken(trx, hash)) === undefined) return undefined
    await markTokenUsed(trx, { hash, hostId, at: now() })
    await deleteAttention(trx, { hostId, reasons: ['token_refused'] })
    if (writesSeen && !isSeen) await markHostSeen(trx, hostId, now())
    return host
  })
}

/** The same; without one it throws. */
export const requireHost = async (
  services: HostServices,
  request: FastifyRequest,
  options?: Options,
): Promise<EnrolledHost> => (await findHost(services, request, options)) ?? refuseHost()

/** Refuses a request whose token has ended, or whose host was deleted, since it was let through. */
export async function recheckToken(services: HostServices, request: FastifyRequest): Promise<void> {
  const host = await requireHost(services, request, { writesSeen: false, forLists: true, raises: false })
  if (host.isDeleted !== hostOf(request).isDeleted) refuseHost()
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
export const needsHost = (services: HostServices, options?: Options) => async (request: FastifyRequest) => {
  request.enrolledHost = await requireHost(services, request, options)
}

/** The host behind `needsHost`. */
export const hostOf = ({ enrolledHost }: Pick<FastifyRequest, 'enrolledHost'>): EnrolledHost =>
  enrolledHost ?? refuseHost()

export const refuseHost = (): never => refuse(sshHostErrors.host_token_needed({ challenge: 'Bearer' }))
