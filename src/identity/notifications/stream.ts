import type { Writable } from 'node:stream'
import type { Reader } from '../../storage/database.ts'
import { toNotification, listAfter, type NotificationRow } from './notification-store.ts'

/** What a stream writes to: an HTTP response, or in tests a substitute that does not read. */
export type Sink = Writable

export interface Stream {
  readonly userId: string
  readonly sessionId: string
  /** Reads what is new. A call during a read causes another read after it. */
  wake(): void
  /** Tells the client that notifications were marked read. Once for any number of calls that the client has not received. */
  notifyRead(): void
  /** Sends a heartbeat when one is due, and ends the stream of a client that has not read for too long. */
  check(): void
  end(): void
}

interface StreamOptions {
  userId: string
  sessionId: string
  /** The id of the notification that it continues after. */
  lastId: string
  sink: Sink
  monotonicNow: () => number
  /** What came after a notification, oldest first, at most a page of it. */
  read(lastId: string): Promise<Frame[]>
  failed(error: unknown): void
  closed(): void
}

const HEARTBEAT_MS = 25_000
/** A client that reads nothing for this long is disconnected. */
const STALLED_MS = 30_000

/**
 * One open stream. It keeps no queue: it knows the last notification it has written and reads on from the database, and only
 * when the client has taken what was written before. So a slow client costs a page of memory at most.
 */
export function openStream({
  userId,
  sessionId,
  sink,
  monotonicNow,
  read,
  failed,
  closed,
  ...options
}: StreamOptions): Stream {
  let { lastId } = options
  let isOver = false
  let isReadPending = false
  let lastHeartbeat = monotonicNow()
  const client = createClientWriter(sink, monotonicNow, () => reader.request())

  /** True when there may be more to read. */
  const sendNextPage = async (): Promise<boolean> => {
    const frames = await read(lastId)
    if (isOver) return false
    for (const frame of frames) {
      client.write(frame.text)
      lastId = frame.id
    }
    if (isReadPending) {
      isReadPending = false
      client.write(READ_FRAME)
    }
    return frames.length > 0
  }
  const reader = createRepeater(sendNextPage, () => !isOver && client.stalledMs() === undefined, failed)

  sink.once('close', () => {
    isOver = true
    closed()
  })
  // An error is followed by `close`; without a listener it would end the process.
  sink.on('error', () => {})
  client.write('retry: 3000\n\n')
  reader.request()

  return {
    userId,
    sessionId,
    wake: reader.request,
    notifyRead() {
      isReadPending = true
      reader.request()
    },
    check() {
      const stalledMs = client.stalledMs()
      if (stalledMs !== undefined) {
        if (stalledMs >= STALLED_MS) sink.destroy()
        return
      }
      if (monotonicNow() - lastHeartbeat >= HEARTBEAT_MS) {
        lastHeartbeat = monotonicNow()
        if (!isOver) client.write(':\n\n')
      }
      // What could not be read before is read now.
      reader.retry()
    },
    end() {
      isOver = true
      closed()
      sink.end()
      // A client that does not read would keep even the end waiting.
      if (client.stalledMs() !== undefined) sink.destroy()
    },
  }
}

/** Writes to the client, and knows for how long the client has read nothing. */
function createClientWriter(sink: Sink, monotonicNow: () => number, drained: () => void) {
  let stalledSince: number | undefined
  return {
    write(text: string): void {
      if (sink.write(text) || stalledSince !== undefined) return
      stalledSince = monotonicNow()
      sink.once('drain', () => {
        stalledSince = undefined
        drained()
      })
    },
    /** Undefined while the client reads. */
    stalledMs: (): number | undefined => (stalledSince === undefined ? undefined : monotonicNow() - stalledSince),
  }
}

/** Runs a step, never twice at a time, until it returns false. A request during a run makes it run once more. */
function createRepeater(step: () => Promise<boolean>, mayRun: () => boolean, failed: (error: unknown) => void) {
  let isRunning = false
  let isRequested = false

  const run = async (): Promise<void> => {
    isRunning = true
    try {
      while (isRequested && mayRun()) {
        isRequested = false
        if (await step()) isRequested = true
      }
    } catch (error) {
      isRequested = true
      failed(error)
    } finally {
      isRunning = false
    }
  }
  const request = (): void => {
    isRequested = true
    if (!isRunning) void run()
  }
  return {
    request,
    /** Runs again if the last request was not completed. */
    retry(): void {
      if (isRequested) request()
    },
  }
}

/** Without an id, so that the client still continues after the last notification. */
const READ_FRAME = 'event: read\ndata: {}\n\n'

export interface Frame {
  id: string
  text: string
}

/** JSON holds no line break outside its strings and none unescaped inside, so nothing in it can start another frame. */
const toFrame = (row: NotificationRow): Frame => ({
  id: row.id,
  text: `id: ${row.id}\nevent: notification\ndata: ${JSON.stringify(toNotification(row))}\n\n`,
})

const PAGE = 50

/**
 * Reads what came after a notification, at most a page of it. Streams of one user that are woken by one signal and have sent
 * the same notification last share one read. Only those: a read that began before a signal may miss what it is about.
 */
export function createFrameReader(db: Reader): (userId: string, lastId: string) => Promise<Frame[]> {
  const reads = new Map<string, Promise<Frame[]>>()
  return (userId, lastId) => {
    const key = `${userId} ${lastId}`
    const shared = reads.get(key)
    if (shared) return shared
    const reading = listAfter(db, userId, lastId, PAGE).then((rows) => rows.map(toFrame))
    reads.set(key, reading)
    queueMicrotask(() => reads.delete(key))
    return reading
  }
}
