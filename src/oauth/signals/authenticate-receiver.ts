import type { FastifyRequest } from 'fastify'
import { digest } from '../../platform/crypto/digest.ts'
import { readBearer } from '../../platform/http/credentials.ts'
import type { Services } from '../../platform/services.ts'
import { readTextList } from '../../storage/columns.ts'
import { readStatement, type Values } from '../../storage/statement.ts'
import { latestIssueTime } from '../authorizations/lifetimes.ts'
import { hasScope, type SignalScope } from '../protocol/scope.ts'
import { liveAccessTokens } from '../tokens/token-store.ts'
import { signalErrors } from './signal-errors.ts'

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
    /** The client_id of the receiver. Set behind `needsReceiver`. */
    signalReceiver: string | undefined
  }
}

const byToken = readStatement((db, value: Values<{ hash: string; now: number; latestIssue: number }>) =>
  liveAccessTokens(db, value('now'), value('latestIssue'))
    .where('tokens.token_hash', '=', value('hash'))
    .where('tokens.code_hash', 'is', null)
    .where('oauth_clients.client_type', '=', 'confidential')
    .select(['tokens.client_id as clientId', 'tokens.scope', 'oauth_clients.scopes as allowed']),
)

/**
 * The client that a token of client credentials was issued to. The client must still have the scope: when an administrator takes it away,
 * the tokens of before open nothing.
 */
export async function requireReceiver(
  { db, now }: Pick<Services, 'db' | 'now'>,
  request: FastifyRequest,
  scope: SignalScope,
): Promise<string> {
  const bearer = readBearer(request)
  // A request without a token gets a challenge without an error code (RFC 6750 section 3.1).
  if (bearer === undefined) throw signalErrors.receiver_token_needed({ challenge: 'Bearer' })
  const at = now()
  const [row] = await byToken(db.read, { hash: digest(bearer), now: at, latestIssue: latestIssueTime(at) })
  if (!row) throw signalErrors.receiver_token_unusable({ challenge: 'Bearer error="invalid_token"' })
  if (!hasScope(row.scope, scope) || !readTextList(row.allowed).includes(scope))
    throw signalErrors.receiver_lacks_scope(
      { scope },
      { challenge: `Bearer error="insufficient_scope", scope="${scope}"` },
    )
  return row.clientId
}

/** Lets receivers through. Runs in onRequest, before the body is read: 401 and 403 come before 400. */
export const needsReceiver =
  (services: Pick<Services, 'db' | 'now'>, scope: SignalScope) =>
  async (request: FastifyRequest): Promise<void> => {
    request.signalReceiver = await requireReceiver(services, request, scope)
  }

/** The client_id of the receiver behind `needsReceiver`. */
export function receiverOf({ signalReceiver }: Pick<FastifyRequest, 'signalReceiver'>): string {
  if (signalReceiver === undefined) throw signalErrors.receiver_token_needed({ challenge: 'Bearer' })
  return signalReceiver
}
