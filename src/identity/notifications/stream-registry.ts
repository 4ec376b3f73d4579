import type { Stream } from './stream.ts'

/** The streams that are open on this replica, by the user they belong to. */
export interface StreamRegistry {
  add(stream: Stream): void
  remove(stream: Stream): void
  of(userIds: string[]): Stream[]
  all(): Stream[]
}

/** More tabs than anybody has open. One more closes the oldest. */
const MAX_PER_USER = 20

export function createStreamRegistry(): StreamRegistry {
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
