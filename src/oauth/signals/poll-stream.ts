import { Type } from 'typebox'
import { listHeld, settleFetched } from '../../platform/outbox/held-delivery-store.ts'
import type { Services } from '../../platform/services.ts'
import { makeSet } from './make-set.ts'
import { requireStream } from './manage-stream.ts'
import { signalErrors } from './signal-errors.ts'
import type { WaitingPolls } from './waiting-polls.ts'

/** So many are signed for one answer. */
const MAX_EVENTS = 100
const Jti = Type.String({ maxLength: 200 })

/** RFC 8936 section 2.2. */
export const PollRequest = Type.Object({
  maxEvents: Type.Optional(
    Type.Integer({ minimum: 0, description: `At most ${MAX_EVENTS} are sent at once. With 0, none.` }),
  ),
  returnImmediately: Type.Optional(Type.Boolean({ default: false })),
  ack: Type.Optional(Type.Array(Jti, { maxItems: 1000, description: 'The `jti` of what has arrived.' })),
  setErrs: Type.Optional(
    Type.Record(
      Type.String({ maxLength: 200 }),
      Type.Object({
        err: Type.String({ maxLength: 200 }),
        description: Type.Optional(Type.String({ maxLength: 4000 })),
      }),
      { maxProperties: 100, description: 'What can’t be taken, by its `jti`, and why.' },
    ),
  ),
})
export type PollRequest = Type.Static<typeof PollRequest>

/** RFC 8936 section 2.3. */
export const PollAnswer = Type.Object({
  sets: Type.Record(Type.String(), Type.String(), {
    description: 'Security Event Tokens by their `jti`, in their order.',
  }),
  moreAvailable: Type.Boolean(),
})
type PollAnswer = Type.Static<typeof PollAnswer>

type PollServices = Pick<Services, 'config' | 'db' | 'now' | 'signingKeys' | 'metrics'> & { waitingPolls: WaitingPolls }

/**
 * Answers a poll at once, or when there is something, or after 55 seconds. What is not acknowledged is sent again by the next poll.
 * `recheck` throws for a receiver that must not get anything any more, once it has waited; `onLeave` is given what ends the wait early.
 */
export async function pollStream(
  services: PollServices,
  { clientId, streamId, recheck }: { clientId: string; streamId: string; recheck: () => Promise<unknown> },
  request: PollRequest,
  onLeave: (leave: () => void) => void,
): Promise<PollAnswer> {
  const { db, waitingPolls } = services
  await requirePolledStream(db.read, clientId, streamId)
  await settle(services, clientId, request)
  const limit = Math.min(request.maxEvents ?? MAX_EVENTS, MAX_EVENTS)
  const look = () => readSets(services, clientId, streamId, limit)
  if (limit === 0) return NOTHING
  const waiting = request.returnImmediately === true ? undefined : waitingPolls.enter(clientId)
  if (!waiting) return look()
  onLeave(waiting.leave)
  try {
    let answer = await look()
    while (Object.keys(answer.sets).length === 0 && (await waiting.woken())) {
      await recheck()
      answer = await look()
    }
    return answer
  } finally {
    waiting.leave()
  }
}

const NOTHING: PollAnswer = { sets: {}, moreAvailable: false }

async function requirePolledStream(...args: Parameters<typeof requireStream>) {
  const stream = await requireStream(...args)
  if (stream.deliveryMethod !== 'poll') throw signalErrors.no_such_stream()
  return stream
}

/** Nothing while the stream is paused. */
async function readSets(
  services: PollServices,
  clientId: string,
  streamId: string,
  limit: number,
): Promise<PollAnswer> {
  const { db } = services
  const { status } = await requirePolledStream(db.read, clientId, streamId)
  if (status !== 'enabled') return NOTHING
  const held = await listHeld(db.read, { kind: 'signals', receiverId: clientId }, limit + 1)
  const sets: Record<string, string> = {}
  for (const delivery of held.slice(0, limit)) sets[delivery.id] = await makeSet(services, delivery)
  return { sets, moreAvailable: held.length > limit }
}

/** What is named twice is taken as an error. */
async function settle(
  { db, now, metrics }: PollServices,
  clientId: string,
  { ack = [], setErrs = {} }: PollRequest,
): Promise<void> {
  const receiver = { kind: 'signals', receiverId: clientId } as const
  const refused = Object.entries(setErrs)
  if (ack.length + refused.length === 0) return
  await db.transaction(async (trx) => {
    const end = async (ids: string[], state: 'acknowledged' | 'refused', error?: string): Promise<void> => {
      const at = now()
      const ended = await settleFetched(trx, receiver, ids, {
        state,
        now: at,
        ...(error === undefined ? {} : { error }),
      })
      trx.afterCommit(() => {
        for (const created of ended)
          metrics?.countDelivery({ kind: 'signals', outcome: state, seconds: Math.max(0, at - created) / 1000 })
      })
    }
    for (const [id, { err, description = '' }] of refused)
      await end([id], 'refused', printable(`${err} ${description}`))
    await end(ack, 'acknowledged')
  })
}

const MAX_ERROR_LENGTH = 200
const printable = (text: string): string =>
  text
    .replace(/[^\x20-\x7e]+/g, ' ')
    .trim()
    .slice(0, MAX_ERROR_LENGTH)
