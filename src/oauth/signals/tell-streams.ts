import { sql } from 'kysely'
import { newId } from '../../platform/ids.ts'
import { addDeliveries, type NewDelivery } from '../../platform/outbox/delivery-store.ts'
import type { Trx } from '../../storage/database.ts'
import { writeStatement } from '../../storage/statement.ts'
import { PERSON_COLUMNS } from '../claims/mapped-claims.ts'
import { sidOf } from '../clients/client-session.ts'
import { clientMayAct } from '../clients/client-store.ts'
import { isDelivered, type PersonSignal, type SignalFact } from './signal-events.ts'

/** Something that happened to a person. */
export interface PersonEvent {
  name: PersonSignal
  userId: string
  /** Where one session has ended. */
  sessionId?: string | undefined
  details: Record<string, unknown>
  actionId?: string | undefined
}

const anyStream = writeStatement((trx) => trx.selectFrom('signal_streams').select('client_id').limit(1))

/** The one query that others pay for where no application has a stream. */
export const hasStreams = async (trx: Trx): Promise<boolean> => (await anyStream(trx, {})).length > 0

/** Streams that are told about some of these people, each with the person. Of clients that are turned off, none. */
export const listListeners = (trx: Trx, userIds: string[]) =>
  trx
    .selectFrom('signal_streams as streams')
    .innerJoin('oauth_clients', 'oauth_clients.client_id', 'streams.client_id')
    .innerJoin('users', (join) => join.on('users.id', 'in', userIds))
    .leftJoin('oauth_grants', (join) =>
      join.onRef('oauth_grants.client_id', '=', 'streams.client_id').onRef('oauth_grants.user_id', '=', 'users.id'),
    )
    .where(clientMayAct)
    .where('streams.status', '!=', 'disabled')
    .where((eb) => eb.or([eb('oauth_clients.signal_subjects', '=', 'all'), eb('oauth_grants.user_id', 'is not', null)]))
    .select(['streams.client_id as clientId', 'streams.status', 'streams.delivery_method as deliveryMethod'])
    .select(['streams.events_requested as eventsRequested', 'users.id as userId'])
    .select(
      sql<string | null>`case when oauth_clients.signal_subject_format = 'email' and users.email_verified = 1
        then users.email end`.as('email'),
    )
    .select(['oauth_clients.signal_subjects as subjects', 'oauth_clients.scopes', 'oauth_grants.scopes as granted'])
    .select(PERSON_COLUMNS)
    .orderBy('streams.client_id')
    .orderBy('users.id')
    .forShare('streams')
    .execute()
export type Listener = Awaited<ReturnType<typeof listListeners>>[number]

/**
 * Tells the streams what has happened to people, in the transaction in which it happened. The people are locked, which keeps the order
 * of what is told about each.
 */
export async function tellStreams(trx: Trx, events: PersonEvent[], now: number): Promise<void> {
  if (events.length === 0 || !(await hasStreams(trx))) return
  const listeners = await listListeners(trx, [...new Set(events.map(({ userId }) => userId))])
  const txns = new Map<string, string>()
  const deliveries = events.flatMap((event) =>
    listeners
      .filter((listener) => listener.userId === event.userId)
      .flatMap((listener) => toDelivery(listener, event, { txn: txnOf(txns, event), now }) ?? []),
  )
  await addDeliveries(trx, deliveries, now)
}

/** What happens to one person in one transaction has one cause. */
function txnOf(txns: Map<string, string>, { userId }: PersonEvent): string {
  const txn = txns.get(userId) ?? newId()
  txns.set(userId, txn)
  return txn
}

/** Undefined when the stream does not want this kind of event. */
export function toDelivery(
  { clientId, status, deliveryMethod, eventsRequested, email }: Listener,
  { name, userId, sessionId, details, actionId }: PersonEvent,
  { txn, now }: { txn: string; now: number },
): NewDelivery | undefined {
  if (!isDelivered(JSON.parse(eventsRequested) as string[] | null, name)) return undefined
  const subject = {
    userId,
    ...(email === null ? {} : { email }),
    ...(sessionId === undefined ? {} : { sid: sidOf(sessionId, clientId) }),
  }
  const fact: SignalFact = { txn, at: now, subject, details }
  return {
    kind: 'signals',
    receiverId: clientId,
    personId: userId,
    type: name,
    fact,
    actionId,
    isHeld: isHeld({ status, deliveryMethod }),
  }
}

/** Whether what a stream is told waits until the receiver fetches it or lets it go on. */
export const isHeld = ({ status, deliveryMethod }: Pick<Listener, 'status' | 'deliveryMethod'>): boolean =>
  deliveryMethod === 'poll' || status !== 'enabled'
