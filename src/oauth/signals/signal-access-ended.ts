import type { AccessEvents, Credential } from '../../identity/access-events.ts'
import type { Trx } from '../../storage/database.ts'
import { ACCESS_ENDS, type AccessEndOf, type AccessSignal } from '../../vocabulary/access-ends.ts'
import { INITIATING_ENTITY } from './signal-events.ts'
import { type PersonEvent, tellStreams } from './tell-streams.ts'

type WaySessionsEnd = AccessEndOf<'session' | 'person'>

/** What else an event says, in each way. */
function detailsOf(signal: AccessSignal, way: WaySessionsEnd): Record<string, unknown> {
  const initiating_entity = INITIATING_ENTITY[way]
  if (signal !== 'credential-change') return { initiating_entity }
  // Whoever takes an address back or disowns what happened has no password until they set a new one.
  const change_type = way === 'address_restored' || way === 'not_me' ? 'revoke' : 'update'
  return { credential_type: 'password', change_type, initiating_entity }
}

/** The events of `ACCESS_ENDS` for this way, in their order. */
const eventsOf = (
  way: WaySessionsEnd,
  { userId, sessionId, actionId }: Pick<PersonEvent, 'userId' | 'sessionId' | 'actionId'>,
): PersonEvent[] =>
  ACCESS_ENDS[way].signals.map((name) => ({ name, userId, sessionId, actionId, details: detailsOf(name, way) }))

/** One session or several have ended, each of which is named. */
export const signalSessionsEnded = (
  trx: Trx,
  { userId, sessionIds, by }: AccessEvents['sessions_ended'],
  now: number,
): Promise<void> =>
  tellStreams(
    trx,
    sessionIds.flatMap((sessionId) => eventsOf(by, { userId, sessionId })),
    now,
  )

/** All sessions of a person have ended, perhaps but one: the user alone means all. */
export const signalSignedOut = (
  trx: Trx,
  { userId, by, keepsPassword = false }: AccessEvents['signed_out'],
  now: number,
): Promise<void> => {
  const events = eventsOf(by, { userId })
  return tellStreams(trx, keepsPassword ? events.filter(({ name }) => name !== 'credential-change') : events, now)
}

export const signalAccountsEnded = (
  trx: Trx,
  { userIds, by, actionIds }: AccessEvents['account_ended'],
  now: number,
): Promise<void> =>
  tellStreams(
    trx,
    userIds.flatMap((userId): PersonEvent[] =>
      by === 'enabled'
        ? [{ name: 'account-enabled', userId, details: { initiating_entity: 'admin' } }]
        : eventsOf(by, { userId, actionId: actionIds?.get(userId) }),
    ),
    now,
  )

/** CAEP 1.0 section 3.3.1. */
export const signalCredentialChanged = (
  trx: Trx,
  { userId, change, credential, by }: AccessEvents['credential_changed'],
  now: number,
): Promise<void> =>
  tellStreams(
    trx,
    [
      {
        name: 'credential-change',
        userId,
        details: {
          ...credentialOf(credential),
          change_type: change === 'created' ? 'create' : 'delete',
          initiating_entity: by === 'administrator' ? 'admin' : 'user',
        },
      },
    ],
    now,
  )

const credentialOf = (credential: Credential) =>
  credential.kind === 'totp'
    ? { credential_type: 'app' }
    : {
        credential_type: credential.isPlatform ? 'fido2-platform' : 'fido2-roaming',
        ...(credential.aaguid === NO_AAGUID ? {} : { fido2_aaguid: credential.aaguid }),
      }

/** An authenticator that does not say which model it is. */
const NO_AAGUID = '00000000-0000-0000-0000-000000000000'
