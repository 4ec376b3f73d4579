import { SECURITY_EVENT_TOKEN } from '../../platform/keys/signing-keys.ts'
import type { Services } from '../../platform/services.ts'
import { isSignalName, SIGNAL_TYPES, type SignalFact } from './signal-events.ts'

/** A delivery as its row has it. */
export interface SignalDelivery {
  id: string
  receiverId: string
  type: string
  fact: string
  createdAt: number
}

const seconds = (ms: number): number => Math.floor(ms / 1000)

/**
 * Signs a Security Event Token (RFC 8417, SSF 1.0 section 4): with the current key at each attempt, and otherwise the same. It has neither
 * `exp` nor `sub`, and a type of its own, so that it can't be taken for an ID token.
 */
export async function makeSet(
  { config, signingKeys }: Pick<Services, 'config' | 'signingKeys'>,
  { id, receiverId, type, fact, createdAt }: SignalDelivery,
): Promise<string> {
  if (!isSignalName(type)) throw new Error(`There is no signal ${type}.`)
  const { txn, at, subject, details } = JSON.parse(fact) as SignalFact
  const { uri, reason } = SIGNAL_TYPES[type]
  const event =
    reason === undefined ? details : { event_timestamp: seconds(at), reason_admin: { en: reason }, ...details }
  const claims = {
    iss: config.baseUrl,
    jti: id,
    iat: seconds(createdAt),
    aud: receiverId,
    txn,
    sub_id: subjectOf(config.baseUrl, subject),
    events: { [uri]: event },
  }
  return signingKeys.signWithRsa(claims, SECURITY_EVENT_TOKEN)
}

/** RFC 9493, and SSF 1.0 section 3. */
function subjectOf(iss: string, subject: SignalFact['subject']): Record<string, unknown> {
  if ('streamId' in subject) return { format: 'opaque', id: subject.streamId }
  const { userId, email, sid } = subject
  const user = email === undefined ? { format: 'iss_sub', iss, sub: userId } : { format: 'email', email }
  return sid === undefined ? user : { format: 'complex', user, session: { format: 'opaque', id: sid } }
}
