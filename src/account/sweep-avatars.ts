import type { StoredBlob } from '../blobs/blobs.ts'
import type { Services } from '../services.ts'
import type { Reader } from '../storage/database.ts'
import { readAvatarName } from './avatar-name.ts'
import { listAvatarVersions } from './avatar-store.ts'

type Needs = Pick<Services, 'db' | 'now' | 'blobs' | 'log'>

const HOUR = 3_600_000
/** Far longer than an upload takes from storing its picture to the commit that points at it. */
const KEPT_MS = 24 * HOUR
/** How many are looked at in one run. The next run goes on from there. */
const MAX_LOOKED_AT = 1000
const BATCH = 100
/** When all have been looked at, it begins anew after this. */
const PAUSE_MS = HOUR

/**
 * Deletes pictures that no account points at: of uploads whose process died or whose commit failed, and old ones that
 * could not be deleted when they were replaced. Answers a function that looks at some of them and says how many it deleted.
 */
export function createAvatarSweeper({ db, now, blobs, log }: Needs): (stop?: AbortSignal) => Promise<number> {
  let walking: AsyncIterator<StoredBlob> | undefined
  let endedAt: number | undefined

  const nextBatch = async (): Promise<StoredBlob[]> => {
    walking ??= blobs.list()[Symbol.asyncIterator]()
    const batch: StoredBlob[] = []
    while (batch.length < BATCH) {
      const { done, value } = await walking.next()
      if (done === true) {
        walking = undefined
        endedAt = now()
        break
      }
      batch.push(value)
    }
    return batch
  }

  /** Also when the clock was set back since. */
  const isResting = (): boolean => endedAt !== undefined && now() >= endedAt && now() < endedAt + PAUSE_MS

  return async (stop) => {
    let deleted = 0
    try {
      for (let seen = 0; seen < MAX_LOOKED_AT; seen += BATCH) {
        if (isResting() || stop?.aborted === true) break
        const old = (await nextBatch()).filter(({ modifiedAt }) => modifiedAt <= now() - KEPT_MS)
        for (const name of await listUnreferenced(db.read, old)) {
          await blobs.delete(name)
          deleted++
        }
      }
    } catch (error) {
      walking = undefined
      throw error
    }
    if (stop?.aborted === true) {
      // A folder that is being read stays open until then.
      await walking?.return?.()
      walking = undefined
    }
    if (deleted > 0) log.info({ deleted }, 'Pictures that no account points at were deleted.')
    return deleted
  }
}

async function listUnreferenced(db: Reader, blobs: StoredBlob[]): Promise<string[]> {
  const ours = blobs.flatMap(({ name }) => {
    const read = readAvatarName(name)
    return read ? [{ name, ...read }] : []
  })
  const versions = await listAvatarVersions(db, [...new Set(ours.map(({ userId }) => userId))])
  return ours
    .filter(({ userId, version }) => version === undefined || versions.get(userId) !== version)
    .map(({ name }) => name)
}
