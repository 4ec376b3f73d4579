import { markUsed } from '../../identity/sessions/session-store.ts'
import { touch } from '../../identity/sessions/touch.ts'
import { findClientSession, noteClientSession } from '../clients/client-session-store.ts'
import { getsSid, sidOf } from '../clients/client-session.ts'
import type { KnownClient } from '../clients/client.ts'
import type { Provider } from '../provider.ts'

/** What an ID token says about the browser session behind it. */
export interface SessionClaims {
  sid?: string
  /** Epoch seconds: when it ends at the latest. */
  session_expiry?: number
}

interface LiveSession {
  id: string
  expiresAt: number
  lastUsedAt: number
}

/**
 * The session in which an authorization was approved, while it lives, for clients that have to do with it. There is none behind a device.
 * A client that was not told of sessions when the code was issued is noted now.
 */
export async function findSession(
  { db, now }: Pick<Provider, 'db' | 'now'>,
  client: KnownClient,
  { sessionId }: { sessionId: string | null },
): Promise<LiveSession | undefined> {
  const isNamed = getsSid(client)
  if (sessionId === null || !(isNamed || client.sessionExpiry || client.refreshTokens === 'session')) return undefined
  const each = { sessionId, clientId: client.client_id }
  const found = await findClientSession(db.read, each, now())
  if (!found) return undefined
  if (isNamed && !found.isNoted) await db.transaction(async (trx) => noteClientSession(trx, each, now()))
  return { id: sessionId, expiresAt: found.expiresAt, lastUsedAt: found.lastUsedAt }
}

const NONE: SessionClaims = {}

export function sessionClaims(client: KnownClient, session: LiveSession | undefined): SessionClaims {
  if (!session) return NONE
  return {
    ...(getsSid(client) ? { sid: sidOf(session.id, client.client_id) } : undefined),
    ...(client.sessionExpiry ? { session_expiry: Math.floor(session.expiresAt / 1000) } : undefined),
  }
}

/** A refresh of a client whose refresh tokens end with the session keeps it from ending unused. */
export const useSession = (provider: Pick<Provider, 'db' | 'now'>, { id, lastUsedAt }: LiveSession): Promise<void> =>
  touch(provider, lastUsedAt, (trx, at) => markUsed(trx, id, at))
