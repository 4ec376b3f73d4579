import type { Logger } from 'pino'
import type { Database } from '../../storage/database.ts'
import type { Signals } from '../../storage/signals.ts'
import { listLiveSessions } from '../sessions/session-store.ts'
import { findStreamStart } from './notification-store.ts'
import { createFrameReader, openStream, type Sink, type Stream } from './stream.ts'

/** Every open stream of this replica. Signals from any replica make it read what is new. */
export interface Streams {
  open(owner: { userId: string; sessionId: string }, sink: Sink, lastSeenId: string | undefined): Promise<void>
  /** Sends heartbeats, and ends streams whose session is over. Called every second. */
  check(): Promise<void>
  /** Ends all of them, for good: the service stops. */
  close(): void
  count(): number
}

interface Needs {
  db: Database
  now: () => number
  monotonicNow: () => number
  signals: Signals
  log: Logger
}

/** Sessions also end by time, and a signal can be lost: all sessions with a stream are checked this often. */
const CHECK_MS = 3000

export function createStreams({ db, now, monotonicNow, signals, log }: Needs): Streams {
  const registry = createStreamRegistry()
  const read = createFrameReader(db.read)
  let checkedAt = monotonicNow()
  let closing = false
  const failed = (error: unknown) => log.warn({ err: error }, 'A notification stream could not read; it tries again.')

  const endIfSessionEnded = async (streams: Stream[]): Promise<void> => {
    if (streams.length === 0) return
    const live = await listLiveSessions(db.read, [...new Set(streams.map(({ sessionId }) => sessionId))], now())
    for (const stream of streams) if (!live.has(stream.sessionId)) stream.end()
  }

  const stopListening = [
    signals.on('notifications', ({ userIds }) => registry.of(userIds).forEach((stream) => stream.wake())),
    signals.on('notifications-read', ({ userIds }) => registry.of(userIds).forEach((stream) => stream.notifyRead())),
    signals.on('sessions-ended', ({ userIds }) => void endIfSessionEnded(registry.of(userIds)).catch(failed)),
    signals.on('resync', () => {
      // Telling that something was read also reads what is new.
      checkedAt = Number.NEGATIVE_INFINITY
      registry.all().forEach((stream) => stream.notifyRead())
      void endIfSessionEnded(registry.all()).catch(failed)
    }),
  ]

  return {
    async open({ userId, sessionId }, sink, lastSeenId) {
      const lastId = (await findStreamStart(db.read, userId, lastSeenId)) ?? ''
      if (sink.destroyed) return
      const stream = openStream({
        userId,
        sessionId,
        lastId,
        sink,
        monotonicNow,
        read: (from) => read(userId, from),
        failed,
        closed: () => registry.remove(stream),
      })
      if (closing) return stream.end()
      registry.add(stream)
      // Between the guard and this line the session may have ended, and its signal found no stream to end.
      return endIfSessionEnded([stream])
    },
    async check() {
      for (const stream of registry.all()) stream.check()
      if (monotonicNow() - checkedAt < CHECK_MS) return
      checkedAt = monotonicNow()
      await endIfSessionEnded(registry.all())
    },
    close() {
      closing = true
      for (const stop of stopListening) stop()
      for (const stream of registry.all()) stream.end()
    },
    count: () => registry.all().length,
  }
}

/** The streams that are open on this replica, by the user they belong to. */
export interface StreamRegistry {
  add(stream: Stream): void
  remove(stream: Stream): void
  of(userIds: string[]): Stream[]
  all(): Stream[]
}

/** More tabs than anybody has open. One more closes the oldest. */
const MAX_PER_USER = 20

function createStreamRegistry(): StreamRegistry {
  const byUser = new Map<string, Set<Stream>>()
  return {
    add(stream) {
      const streams = byUser.get(stream.userId) ?? new Set()
      byUser.set(stream.userId, streams.add(stream))
      if (streams.size > MAX_PER_USER) [...streams][0]?.end()
    },
    remove(stream) {
      const streams = byUser.get(stream.userId)
      streams?.delete(stream)
      if (streams?.size === 0) byUser.delete(stream.userId)
    },
    of: (userIds) => userIds.flatMap((userId) => [...(byUser.get(userId) ?? [])]),
    all: () =>
      byUser
        .values()
        .flatMap((streams) => streams.values())
        .toArray(),
  }
}
