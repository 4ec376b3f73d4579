import type { FastifyRequest } from 'fastify'
import { digest } from '../../crypto/digest.ts'
import { refuse } from '../../errors.ts'
import type { Services } from '../../services.ts'
import { markHostSeen } from './host-store.ts'
import { findHostToken, holdHostOfToken, markTokenUsed } from './host-token-store.ts'

type Needs = Pick<Services, 'db' | 'now'>

/** How often it is written that a host was here. */
const SEEN_MS = 30_000

export const tokenHashOf = (request: FastifyRequest): string | undefined => {
  const [, token] = /^Bearer +([A-Za-z0-9_-]{1,256})$/i.exec(request.headers.authorization ?? '') ?? []
  return token === undefined ? undefined : digest(token)
}

/** The host whose token a request carries; undefined without a live one. Its first use ends the tokens before it. */
export async function findHost({ db, now }: Needs, request: FastifyRequest): Promise<string | undefined> {
  const hash = tokenHashOf(request)
  const found = hash === undefined ? undefined : await findHostToken(db.read, hash)
  if (hash === undefined || !found) return undefined
  const isSeen = found.lastSeenAt !== null && Math.abs(now() - found.lastSeenAt) < SEEN_MS
  if (found.isUsed && isSeen) return found.hostId
  return db.transaction(async (trx) => {
    const hostId = await holdHostOfToken(trx, hash)
    if (hostId === undefined) return undefined
    await markTokenUsed(trx, hash, hostId)
    await markHostSeen(trx, hostId, now())
    return hostId
  })
}

/** The same, refused without one. */
export const requireHost = async (services: Needs, request: FastifyRequest): Promise<string> =>
  (await findHost(services, request)) ?? refuseHost()

export const refuseHost = (): never =>
  refuse('unauthenticated', 'This needs the token of an enrolled host.', { challenge: 'Bearer' })
