import type { Logger } from 'pino'
import { listLiveSessions } from '../sessions/live-session-store.ts'
import type { Database } from '../storage/database.ts'
import type { Signals } from '../storage/signals.ts'
import { findStart, listAfter } from './notification-store.ts'
import { type Frame, openStream, type Sink, type Stream, toFrame } from './stream.ts'

/** Every open stream of this copy. Other copies tell it through signals that there is something to look for. */
export interface Streams {
  open(who: { userId: string; sessionId: string }, sink: Sink, lastSeenId: string | undefined): Promise<void>
  /** Signs of life, and the end of streams whose session is over. Called every second. */
  beat(): Promise<void>
  /** Ends all of them, for good: the service stops. */
  close(): void
  count(): number
}

const PAGE = 50
/** More tabs than anybody has open. One more closes the oldest. */
const MAX_PER_USER = 20
/** Sessions also end by time, and a signal can be lost: whoever hears nothing is asked about this often. */
const CHECK_MS = 3000

export function createStreams({
  db,
  now,
  monotonicNow,
  signals,
  log,
}: {
  db: Database
  now: () => number
  monotonicNow: () => number
  signals: Signals
  log: Logger
}): Streams {
  const byUser = new Map<string, Set<Stream>>()
  const reads = new Map<string, Promise<Frame[]>>()
  let checkedAt = monotonicNow()
  let closing = false

  const all = (): Stream[] =>
    byUser
      .values()
      .flatMap((streams) => streams.values())
      .toArray()
  const of = (userId: string): Stream[] => [...(byUser.get(userId) ?? [])]
  const failed = (error: unknown) => log.warn({ err: error }, 'A notification stream could not read; it tries again.')

  /**
   * Streams that are woken by one signal and stand at one place read once, together. Only those: a reading that began
   * before a signal may miss what the signal is about.
   */
  const read = (userId: string, lastId: string): Promise<Frame[]> => {
    const key = `${userId} ${lastId}`
    const shared = reads.get(key)
    if (shared) return shared
    const reading = listAfter(db.read, userId, lastId, PAGE).then((rows) => rows.map(toFrame))
    reads.set(key, reading)
    queueMicrotask(() => reads.delete(key))
    return reading
  }

  const endEnded = async (streams: Stream[]): Promise<void> => {
    if (streams.length === 0) return
    const live = await listLiveSessions(db.read, [...new Set(streams.map(({ sessionId }) => sessionId))], now())
    for (const stream of streams) if (!live.has(stream.sessionId)) stream.end()
  }

  const stopListening = [
    signals.on('notifications', ({ userIds }) => userIds.flatMap(of).forEach((stream) => stream.wake())),
    signals.on('sessions-ended', ({ userIds }) => void endEnded(userIds.flatMap(of)).catch(failed)),
    signals.on('resync', () => {
      checkedAt = Number.NEGATIVE_INFINITY
      all().forEach((stream) => stream.wake())
      void endEnded(all()).catch(failed)
    }),
  ]

  const add = (stream: Stream): void => {
    const streams = byUser.get(stream.userId) ?? new Set()
    byUser.set(stream.userId, streams.add(stream))
    if (streams.size > MAX_PER_USER) [...streams][0]?.end()
  }
  const remove = (stream: Stream): void => {
    const streams = byUser.get(stream.userId)
    streams?.delete(stream)
    if (streams?.size === 0) byUser.delete(stream.userId)
  }

  return {
    async open({ userId, sessionId }, sink, lastSeenId) {
      const lastId = await findStart(db.read, userId, lastSeenId)
      if (sink.destroyed) return
      const stream = openStream({
        userId,
        sessionId,
        lastId,
        sink,
        monotonicNow,
        read: (from) => read(userId, from),
        failed,
        closed: () => remove(stream),
      })
      if (closing) return stream.end()
      add(stream)
      // Between the guard and this line the session may have ended, and its signal found no stream to end.
      return endEnded([stream])
    },
    async beat() {
      for (const stream of all()) stream.beat()
      if (monotonicNow() - checkedAt < CHECK_MS) return
      checkedAt = monotonicNow()
      await endEnded(all())
    },
    close() {
      closing = true
      for (const stop of stopListening) stop()
      for (const stream of all()) stream.end()
    },
    count: () => all().length,
  }
}
