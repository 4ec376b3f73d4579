import type { Reader } from '../../storage/database.ts'
import type { StoredBlob } from '../blobs/blobs.ts'
import type { Services } from '../services.ts'
import { readPictureName, listPictureVersions } from './picture-store.ts'

type SweepServices = Pick<Services, 'db' | 'now' | 'blobs' | 'log'>

const HOUR = 3_600_000
/** Far longer than an upload takes from storing its picture to the commit that refers to it. */
const KEPT_MS = 24 * HOUR
/** How many are checked in one run. The next run continues there. */
const MAX_CHECKED = 1000
const BATCH = 100
/** When all have been checked, it starts again after this. */
const PAUSE_MS = HOUR

/**
 * Deletes pictures that nobody refers to: of uploads whose process died or whose commit failed, and old ones that
 * could not be deleted when they were replaced. Returns a function that checks some of them and returns how many it deleted.
 */
export function createPictureSweeper({ db, now, blobs, log }: SweepServices): (stop?: AbortSignal) => Promise<number> {
  let iterator: AsyncIterator<StoredBlob> | undefined
  let endedAt: number | undefined

  const nextBatch = async (): Promise<StoredBlob[]> => {
    iterator ??= blobs.list()[Symbol.asyncIterator]()
    const batch: StoredBlob[] = []
    while (batch.length < BATCH) {
      const { done, value } = await iterator.next()
      if (done === true) {
        iterator = undefined
        endedAt = now()
        break
      }
      batch.push(value)
    }
    return batch
  }

  /** Also when the clock was set back since. */
  const isPausing = (): boolean => endedAt !== undefined && now() >= endedAt && now() < endedAt + PAUSE_MS

  return async (stop) => {
    let deleted = 0
    try {
      for (let checked = 0; checked < MAX_CHECKED; checked += BATCH) {
        if (isPausing() || stop?.aborted === true) break
        const old = (await nextBatch()).filter(({ modifiedAt }) => modifiedAt <= now() - KEPT_MS)
        for (const name of await listUnreferenced(db.read, old)) {
          await blobs.delete(name)
          deleted++
        }
      }
    } catch (error) {
      iterator = undefined
      throw error
    }
    if (stop?.aborted === true) {
      // A folder that is being read stays open until then.
      await iterator?.return?.()
      iterator = undefined
    }
    if (deleted > 0) log.info({ deleted }, 'Pictures that nobody refers to were deleted.')
    return deleted
  }
}

async function listUnreferenced(db: Reader, blobs: StoredBlob[]): Promise<string[]> {
  const ours = blobs.flatMap(({ name }) => {
    const read = readPictureName(name)
    return read ? [{ name, ...read }] : []
  })
  const versions = await listPictureVersions(db, [...new Set(ours.map(({ owner }) => owner))])
  return ours
    .filter(({ owner, version }) => version === undefined || versions.get(owner) !== version)
    .map(({ name }) => name)
}
