import type { AccessEndOf } from '../../vocabulary/access-ends.ts'

/** Who caused an event, in the words of CAEP 1.0 section 2. */
type InitiatingEntity = 'admin' | 'user'

const CAEP = 'https://schemas.openid.net/secevent/caep/event-type/'
const RISC = 'https://schemas.openid.net/secevent/risc/event-type/'
const SSF = 'https://schemas.openid.net/secevent/ssf/event-type/'

interface SignalType {
  uri: string
  /** For the administrators of the receiver: the same for every event of the type, and never what an administrator has written here. */
  reason: string | undefined
}

/** What streams are told. */
export const SIGNAL_TYPES = {
  'session-revoked': { uri: `${CAEP}session-revoked`, reason: 'A session, or all sessions of a person, have ended.' },
  'credential-change': {
    uri: `${CAEP}credential-change`,
    reason: 'A credential of a person was added, changed or removed.',
  },
  'token-claims-change': { uri: `${CAEP}token-claims-change`, reason: 'The roles of a person have changed.' },
  'account-disabled': { uri: `${RISC}account-disabled`, reason: 'An account was disabled.' },
  'account-enabled': { uri: `${RISC}account-enabled`, reason: 'An account was enabled.' },
  'account-purged': { uri: `${RISC}account-purged`, reason: 'An account was deleted for good.' },
  verification: { uri: `${SSF}verification`, reason: undefined },
  'stream-updated': { uri: `${SSF}stream-updated`, reason: undefined },
} as const satisfies Record<string, SignalType>

export type SignalName = keyof typeof SIGNAL_TYPES
/** Those about people, which a receiver chooses from. The others are about the stream itself, and always sent. */
export type PersonSignal = Exclude<SignalName, 'verification' | 'stream-updated'>

const isAboutPeople = (name: SignalName): name is PersonSignal => !SIGNAL_TYPES[name].uri.startsWith(SSF)
const PERSON_SIGNALS = (Object.keys(SIGNAL_TYPES) as SignalName[]).filter(isAboutPeople)

export const isSignalName = (name: string): name is SignalName => Object.hasOwn(SIGNAL_TYPES, name)

export const EVENTS_SUPPORTED: readonly string[] = PERSON_SIGNALS.map((name) => SIGNAL_TYPES[name].uri)

/** Of what a receiver has requested, what there is. One that has requested nothing in particular gets everything. */
export const eventsDelivered = (requested: readonly string[] | null): readonly string[] =>
  requested === null ? EVENTS_SUPPORTED : EVENTS_SUPPORTED.filter((uri) => requested.includes(uri))

export const isDelivered = (requested: readonly string[] | null, name: PersonSignal): boolean =>
  eventsDelivered(requested).includes(SIGNAL_TYPES[name].uri)

/** Who ends access in each way that ends sessions. */
export const INITIATING_ENTITY: Record<AccessEndOf<'session' | 'person'>, InitiatingEntity> = {
  signed_out: 'user',
  signed_out_by_application: 'user',
  replaced_by_sign_in: 'user',
  session_ended_by_owner: 'user',
  session_ended_by_administrator: 'admin',
  other_sessions_ended: 'user',
  password_changed: 'user',
  password_reset: 'user',
  address_restored: 'user',
  not_me: 'user',
  signed_out_by_administrator: 'admin',
  disabled: 'admin',
  disabled_as_planned: 'admin',
  deleted: 'admin',
  deleted_by_owner: 'user',
}

/** The user whom a stream is told about: as this service knows them, and by the address that they had then. */
interface PersonSubject {
  userId: string
  email?: string
  /** Where one session has ended: what the receiver knows it by. */
  sid?: string
}

/** What is stored of an event until it has been delivered. */
export interface SignalFact {
  /** The same for all that has one cause. */
  txn: string
  /** Epoch milliseconds. */
  at: number
  subject: PersonSubject | { streamId: string }
  /** Members of the event that depend on what happened. */
  details: Record<string, unknown>
}
