import type { Services } from '../../platform/services.ts'
import { isUnavailable } from '../../storage/failure.ts'
import { hasClientWithGroups } from '../clients/client-store.ts'

/** What the server metadata says about the registered clients. It is read again after a client has changed. */
export interface Published {
  /** Whether a client may ask for the scope `groups`. */
  groups(): boolean | Promise<boolean>
  /** For the process that has changed a client: it may be asked before the signal arrives. */
  changed(): void
}

export function createPublished({ db, signals }: Pick<Services, 'db' | 'signals'>): Published {
  let known: boolean | undefined
  let last = false
  /** Counts changes, so that the result of a read which started before a change is not kept after it. */
  let changes = 0
  const changed = () => {
    changes++
    known = undefined
  }
  signals.on('client-changed', changed)
  signals.on('resync', changed)

  /** The metadata is answered without the database too, with what was true before. */
  const read = async (): Promise<boolean> => {
    const before = changes
    try {
      last = await hasClientWithGroups(db.read)
      if (changes === before) known = last
    } catch (error) {
      if (!isUnavailable(error)) throw error
    }
    return last
  }
  return { changed, groups: () => known ?? read() }
}
