import { type NewDelivery, addDeliveries, listWaiting, replaceWaiting } from '../../platform/outbox/delivery-store.ts'
import type { Trx } from '../../storage/database.ts'
import { sidOf } from '../clients/client-session.ts'
import {
  deleteClientSessions,
  listClientsOfSessions,
  listSessionsAtClients,
  markCodesOfSessionsRevoked,
} from './ended-session-store.ts'
import { markGrantsTold, type ToldGrant, type ToldGrants } from './logout-store.ts'

/** What a logout token is about: a person, and one session where only that has ended. */
export interface LogoutFact {
  sid?: string
}

interface Told {
  userId: string
  clientId: string
  sid?: string | undefined
  actionId?: string | undefined
}

/**
 * Tells applications that sessions of a person have ended, each by its `sid`, and revokes what ends with them. The person is locked.
 */
export async function tellSessionsEnded(
  trx: Trx,
  { userId, sessionIds }: { userId: string; sessionIds: string[] },
  now: number,
): Promise<void> {
  const clients = await listClientsOfSessions(trx, { userId, sessionIds, now })
  await addLogouts(
    trx,
    clients.map(({ sessionId, clientId }) => ({ userId, clientId, sid: sidOf(sessionId, clientId) })),
    now,
  )
  if (clients.length > 0) await deleteClientSessions(trx, { sessionIds })
  await markCodesOfSessionsRevoked(trx, { userId, sessionIds }, now)
}

/**
 * Tells applications that all that people had there has ended: those that may hold something since they were last told so. Call it
 * before tokens are revoked or deleted, and with the people locked: nothing is approved meanwhile.
 */
export async function tellAllEnded(
  trx: Trx,
  { actionIds, ...grants }: ToldGrants & { actionIds?: ReadonlyMap<string, string> | undefined },
  now: number,
): Promise<void> {
  const told = await markGrantsTold(trx, grants)
  const repeated = actionIds ? await listToRepeat(trx, actionIds, told) : []
  if (told.length === 0) return addLogouts(trx, withoutRepetition(repeated), now)
  const userIds = [...new Set(told.map(({ userId }) => userId))]
  const clientIds = [...new Set(told.map(({ clientId }) => clientId))]
  const sessions = told.some(({ needsSid }) => needsSid)
    ? await listSessionsAtClients(trx, { userIds, clientIds, now })
    : []
  const logouts = told.flatMap(({ userId, clientId, needsSid }): Told[] => {
    const actionId = actionIds?.get(userId)
    if (!needsSid) return [{ userId, clientId, actionId }]
    return sessions
      .filter((session) => session.userId === userId && session.clientId === clientId)
      .map(({ sessionId }) => ({ userId, clientId, actionId, sid: sidOf(sessionId, clientId) }))
  })
  await addLogouts(trx, withoutRepetition([...repeated, ...logouts]), now)
  return deleteClientSessions(trx, { userIds, clientIds })
}

/** What was not acknowledged yet of what was told before: a receipt is not complete without it. What follows covers the rest. */
async function listToRepeat(trx: Trx, actionIds: ReadonlyMap<string, string>, told: ToldGrant[]): Promise<Told[]> {
  const waiting = await listWaiting(trx, 'logout', [...actionIds.keys()])
  const isCovered = (userId: string, clientId: string) =>
    told.some((grant) => !grant.needsSid && grant.userId === userId && grant.clientId === clientId)
  return waiting
    .filter(({ personId, receiverId }) => !isCovered(personId, receiverId))
    .map(({ personId: userId, receiverId: clientId, fact }): Told => {
      const { sid } = JSON.parse(fact) as LogoutFact
      return { userId, clientId, sid, actionId: actionIds.get(userId) }
    })
}

const withoutRepetition = (logouts: Told[]): Told[] => [
  ...new Map(logouts.map((each) => [`${each.userId} ${each.clientId} ${each.sid ?? ''}`, each])).values(),
]

/** Writes them down, and leaves out what still waits and is said by one of them too. */
async function addLogouts(trx: Trx, logouts: Told[], now: number): Promise<void> {
  if (logouts.length === 0) return
  const deliveries = logouts.map(({ userId, clientId, sid, actionId }): NewDelivery => {
    const fact: LogoutFact = sid === undefined ? {} : { sid }
    return { kind: 'logout', receiverId: clientId, personId: userId, type: 'logout', fact, actionId }
  })
  await addDeliveries(trx, deliveries, now)
  await replaceWaiting(trx, 'logout', deliveries)
}
