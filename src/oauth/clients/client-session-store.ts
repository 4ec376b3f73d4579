import { type ExpressionBuilder, sql } from 'kysely'
import { sessionLives } from '../../identity/sessions/session-store.ts'
import { IDLE_MS } from '../../identity/sessions/session.ts'
import type { Reader, Trx } from '../../storage/database.ts'
import type { Schema } from '../../storage/schema.ts'
import { type Values, readStatement, writeStatement } from '../../storage/statement.ts'

/** An application may keep its own session for longer than ours. */
const KEPT_MS = 30 * 24 * 3_600_000

/** Adds nothing when the session has ended. */
const note = writeStatement((db, value: Values<{ sessionId: string; clientId: string; now: number; keptMs: number }>) =>
  db
    .insertInto('oauth_client_sessions')
    .columns(['session_id', 'client_id', 'user_id', 'created_at', 'kept_until'])
    .expression((eb) =>
      eb
        .selectFrom('sessions')
        .select([
          'sessions.id',
          sql<string>`cast(${value('clientId')} as text)`.as('client_id'),
          'sessions.user_id',
          sql<number>`cast(${value('now')} as bigint)`.as('created_at'),
          sql<number>`sessions.expires_at + ${value('keptMs')}`.as('kept_until'),
        ])
        .where('sessions.id', '=', value('sessionId')),
    )
    .onConflict((conflict) => conflict.columns(['session_id', 'client_id']).doNothing()),
)

interface ClientSession {
  sessionId: string
  clientId: string
}

/** Notes that a client gets the `sid` of a session, so that it is told when that ends, also after its tokens have expired. */
export const noteClientSession = (trx: Trx, each: ClientSession, now: number): void =>
  note.next(trx, { ...each, now, keptMs: KEPT_MS })

const live = readStatement((db, value: Values<ClientSession & { now: number; idleSince: number }>) =>
  db
    .selectFrom('sessions')
    .leftJoin('oauth_client_sessions', (join) =>
      join
        .onRef('oauth_client_sessions.session_id', '=', 'sessions.id')
        .on('oauth_client_sessions.client_id', '=', value('clientId')),
    )
    .where('sessions.id', '=', value('sessionId'))
    .where(sessionLives(value('now'), value('idleSince')))
    .select([
      'sessions.expires_at as expiresAt',
      'sessions.last_used_at as lastUsedAt',
      'oauth_client_sessions.client_id as noted',
    ]),
)

/** The session, if it is live, and whether it is noted that the client got its `sid`. */
export async function findClientSession(db: Reader, each: ClientSession, now: number) {
  const [row] = await live(db, { ...each, now, idleSince: now - IDLE_MS })
  return row && { expiresAt: row.expiresAt, lastUsedAt: row.lastUsedAt, isNoted: row.noted !== null }
}

/**
 * Decides whether an authorization still holds, as far as its session goes: where the refresh tokens of a client end with the session,
 * that must be live. For a query over `oauth_clients` and `codes`. Other clients cost one comparison.
 */
export const sessionPermits =
  (now: number, idleSince: number) => (eb: ExpressionBuilder<CodesWithClients, 'oauth_clients' | 'codes'>) =>
    eb.or([
      eb('oauth_clients.refresh_tokens', '=', 'offline'),
      eb('codes.session_id', 'is', null),
      eb.exists(
        eb
          .selectFrom('sessions')
          .select('sessions.id')
          .whereRef('sessions.id', '=', 'codes.session_id')
          .where(sessionLives(now, idleSince)),
      ),
    ])

type CodesWithClients = Schema & { codes: Schema['oauth_authorization_codes'] }
