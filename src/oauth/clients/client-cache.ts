import type { Services } from '../../platform/services.ts'
import { isUnavailable } from '../../storage/failure.ts'
import { LISTED_WHEN_USED } from '../protocol/scope.ts'
import { findClient, listUsedScopes } from './client-store.ts'
import type { KnownClient } from './client.ts'

/**
 * Clients for the hot paths. A signal removes a changed client from the cache of every replica. A signal may be lost with
 * its connection, so no entry is used for longer than a second.
 */
export interface ClientCache {
  /** Looks only into the cache. */
  findCached(clientId: string): KnownClient | undefined
  find(clientId: string): Promise<KnownClient | undefined>
  /** For the process that has changed the client: it may answer before the signal arrives. */
  forget(clientId: string): void
}

const MAX_AGE_MS = 1000
/** At this number the cache is emptied. Refilling it costs one lookup for each client. */
const MAX_ENTRIES = 10_000

export function createClientCache({
  db,
  monotonicNow,
  signals,
}: Pick<Services, 'db' | 'monotonicNow' | 'signals'>): ClientCache {
  const known = new Map<string, { client: KnownClient; readAt: number }>()
  /** Counts removals, so that the result of a read which started before a change is not kept after it. */
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

  const findCached = (clientId: string) => {
    const entry = known.get(clientId)
    return entry && monotonicNow() - entry.readAt < MAX_AGE_MS ? entry.client : undefined
  }

  return {
    findCached,
    forget,
    async find(clientId) {
      const cached = findCached(clientId)
      if (cached) return cached
      const before = changes
      // The client may have changed during the read, so its age counts from the start of the read.
      const readAt = monotonicNow()
      const client = await findClient(db.read, clientId)
      if (client && changes === before) {
        if (known.size >= MAX_ENTRIES) known.clear()
        known.set(clientId, { client, readAt })
      }
      return client
    },
  }
}

/** What the server metadata says about the registered clients. It is read again after a client has changed. */
export interface Published {
  /** Scopes that are listed because a client may ask for them. */
  scopes(): readonly string[] | Promise<readonly string[]>
  /** For the process that has changed a client: it may be asked before the signal arrives. */
  changed(): void
}

export function createPublished({ db, signals }: Pick<Services, 'db' | 'signals'>): Published {
  let known: readonly string[] | undefined
  let last: readonly string[] = []
  /** Counts changes, so that the result of a read which started before a change is not kept after it. */
  let changes = 0
  const changed = () => {
    changes++
    known = undefined
  }
  signals.on('client-changed', changed)
  signals.on('resync', changed)

  /** The metadata is answered without the database too, with what was true before. */
  const read = async (): Promise<readonly string[]> => {
    const before = changes
    try {
      last = await listUsedScopes(db.read, LISTED_WHEN_USED)
      if (changes === before) known = last
    } catch (error) {
      if (!isUnavailable(error)) throw error
    }
    return last
  }
  return { changed, scopes: () => known ?? read() }
}
