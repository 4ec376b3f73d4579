import type { Services } from '../../services.ts'
import { findClient } from './client-store.ts'
import type { KnownClient } from './client.ts'

/**
 * Clients as the hot paths see them. A change is heard of through a signal, on every replica; should a signal be lost with
 * its connection, no entry is believed for longer than a second anyway.
 */
export interface ClientCache {
  /** Without asking the database: nothing when it has to be asked. */
  held(clientId: string): KnownClient | undefined
  find(clientId: string): Promise<KnownClient | undefined>
  /** For whoever has just changed the client and answers before the signal has come round. */
  forget(clientId: string): void
}

const BELIEVED_MS = 1000
/** Above this, everything is forgotten: more clients than that come back at a lookup each. */
const MOST = 10_000

export function createClientCache({
  db,
  monotonicNow,
  signals,
}: Pick<Services, 'db' | 'monotonicNow' | 'signals'>): ClientCache {
  const known = new Map<string, { client: KnownClient; readAt: number }>()
  /** Counts what was forgotten, so that a read which began before a change is not kept after it. */
  let changes = 0

  const forget = (clientId: string) => {
    changes++
    known.delete(clientId)
  }
  signals.on('client-changed', ({ clientId }) => forget(clientId))
  signals.on('resync', () => {
    changes++
    known.clear()
  })

  const held = (clientId: string) => {
    const entry = known.get(clientId)
    return entry && monotonicNow() - entry.readAt < BELIEVED_MS ? entry.client : undefined
  }

  return {
    held,
    forget,
    async find(clientId) {
      const believed = held(clientId)
      if (believed) return believed
      const before = changes
      // What is read may have been true only at the start of the read, so it ages from there.
      const readAt = monotonicNow()
      const client = await findClient(db.read, clientId)
      if (client && changes === before) {
        if (known.size >= MOST) known.clear()
        known.set(clientId, { client, readAt })
      }
      return client
    },
  }
}
