import type { Reader } from '../../storage/database.ts'
import { listAfter } from './notification-store.ts'
import { type Frame, toFrame } from './stream.ts'

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
