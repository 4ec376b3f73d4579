import type { Writable } from 'node:stream'
import { type NotificationRow, toNotification } from './notification.ts'

/** What a stream writes to: an HTTP response, or in tests a stand-in that does not read. */
export type Sink = Writable

export interface Stream {
  readonly userId: string
  readonly sessionId: string
  /** Reads what is new. Called while it is reading, it makes it read once more. */
  wake(): void
  /** Sends a heartbeat when one is due, and ends the stream of a client that has not read for too long. */
  beat(): void
  end(): void
}

interface StreamOptions {
  userId: string
  sessionId: string
  /** The id of the notification that it goes on after. */
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
  let looking = false
  let again = false
  let over = false
  let quietSince = monotonicNow()
  let stalledSince: number | undefined

  const write = (text: string): void => {
    if (over) return
    if (!sink.write(text) && stalledSince === undefined) {
      stalledSince = monotonicNow()
      sink.once('drain', () => {
        stalledSince = undefined
        wake()
      })
    }
  }

  const look = async (): Promise<void> => {
    const frames = await read(lastId)
    if (over) return
    for (const frame of frames) {
      write(frame.text)
      lastId = frame.id
    }
    if (frames.length > 0) again = true
  }

  const mayLook = (): boolean => again && !over && stalledSince === undefined

  const wake = (): void => {
    again = true
    if (looking || over) return
    looking = true
    void (async () => {
      try {
        while (mayLook()) {
          again = false
          await look()
        }
      } catch (error) {
        again = true
        failed(error)
      } finally {
        looking = false
      }
    })()
  }

  sink.once('close', () => {
    over = true
    closed()
  })
  // An error is followed by `close`; without a listener it would end the process.
  sink.on('error', () => {})
  write('retry: 3000\n\n')
  wake()

  return {
    userId,
    sessionId,
    wake,
    beat() {
      if (stalledSince !== undefined) {
        if (monotonicNow() - stalledSince >= STALLED_MS) sink.destroy()
        return
      }
      if (monotonicNow() - quietSince >= HEARTBEAT_MS) {
        quietSince = monotonicNow()
        write(':\n\n')
      }
      // What could not be read before is read now.
      if (again) wake()
    },
    end() {
      over = true
      closed()
      sink.end()
      // A client that does not read would keep even the end waiting.
      if (stalledSince !== undefined) sink.destroy()
    },
  }
}

export interface Frame {
  id: string
  text: string
}

/** JSON holds no line break outside its strings and none unescaped inside, so nothing in it can start another frame. */
export const toFrame = (row: NotificationRow): Frame => ({
  id: row.id,
  text: `id: ${row.id}\nevent: notification\ndata: ${JSON.stringify(toNotification(row))}\n\n`,
})
