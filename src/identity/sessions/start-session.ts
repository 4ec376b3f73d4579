import { issueToken } from '../../platform/crypto/digest.ts'
import type { RequestSource } from '../../platform/http/request-source.ts'
import { newId } from '../../platform/ids.ts'
import type { Services } from '../../platform/services.ts'
import type { Trx } from '../../storage/database.ts'
import type { SignInMethod } from '../../vocabulary/sign-in-methods.ts'
import { addSession } from './session-store.ts'
import { REMEMBERED_MS, UNREMEMBERED_MS } from './session.ts'

export interface StartedSession {
  id: string
  token: string
  /** Seconds for the cookie; undefined when it ends with the browser. */
  maxAge: number | undefined
}

/** A session, and the tokens of the known-browser cookie. */
export interface SignedInSession extends StartedSession {
  browserTokens: string[]
}

interface StartSessionRequest {
  userId: string
  method: SignInMethod
  amr: string[]
  verified?: boolean | undefined
  remember: boolean
  source: RequestSource
  /** Whether the browser may make a passkey by itself. */
  offersPasskey?: boolean
}

/** A sign-in always makes a new token, so that a token planted in the browser before is never used (session fixation). */
export async function startSession(
  { now, random }: Pick<Services, 'now' | 'random'>,
  trx: Trx,
  { userId, method, amr, verified = false, remember, source, offersPasskey = false }: StartSessionRequest,
): Promise<StartedSession> {
  const token = issueToken(random, '')
  const id = newId()
  const at = now()
  const lifetime = remember ? REMEMBERED_MS : UNREMEMBERED_MS
  addSession(trx, {
    token_hash: token.hash,
    id,
    user_id: userId,
    method,
    amr: amr.join(' '),
    remembered: remember ? 1 : 0,
    ip_address: source.ipAddress,
    ...source.geolocation,
    user_agent: source.userAgent,
    created_at: at,
    last_used_at: at,
    expires_at: at + lifetime,
    proved_at: at,
    offers_passkey: offersPasskey ? 1 : 0,
    verified: verified ? 1 : 0,
  })
  return { id, token: token.plaintext, maxAge: remember ? lifetime / 1000 : undefined }
}
