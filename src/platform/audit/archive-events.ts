import { mkdir, open } from 'node:fs/promises'
import { join } from 'node:path'
import type { Database } from '../../storage/database.ts'
import { syncFolder } from '../../storage/durable-files.ts'
import type { Blobs } from '../blobs/blobs.ts'
import type { Config } from '../config/config.ts'
import { toEntry, toJsonLines } from './audit-entry.ts'
import { deleteEvents, type EventRow, listOldestEvents } from './audit-store.ts'

/** In the bucket, where there is one: a folder for each month. Otherwise in the data folder: a file for each month. */
const ARCHIVE_FOLDER = 'audit-archive'
/** The replica that takes the job has it for this long. */
export const ARCHIVE_INTERVAL_MS = 60_000
/** A run ends before another replica can take the job, also when its last batch takes long. */
const MAX_RUN_MS = ARCHIVE_INTERVAL_MS / 2
const BATCH = 500
const DAY_MS = 24 * 3600_000

interface ArchiveServices {
  config: Pick<Config, 'auditRetentionDays' | 'dataDir' | 's3'>
  db: Database
  blobs: Blobs
  now: () => number
}

/**
 * Moves entries of the audit trail that are older than the retention time into files, whole days (UTC) at once, so that the files are not
 * many. They are stored before they are deleted, so that none is lost: after a crash in between, some are there twice, with the
 * same id.
 */
export async function archiveEvents({ config, db, blobs, now }: ArchiveServices, stop: AbortSignal): Promise<number> {
  const { auditRetentionDays, dataDir, s3 } = config
  if (auditRetentionDays === undefined) return 0
  const store = s3 ? put.bind(undefined, blobs) : append.bind(undefined, join(dataDir, ARCHIVE_FOLDER))
  const startedAt = now()
  const before = (Math.floor(startedAt / DAY_MS) - auditRetentionDays) * DAY_MS
  let moved = 0
  while (!stop.aborted && now() < startedAt + MAX_RUN_MS) {
    const rows = await listOldestEvents(db.read, before, BATCH)
    if (rows.length === 0) return moved
    for (const [month, own] of Map.groupBy(rows, monthOf)) await store(month, own)
    await db.transaction((trx) =>
      deleteEvents(
        trx,
        rows.map(({ id }) => id),
      ),
    )
    moved += rows.length
  }
  return moved
}

const monthOf = ({ at }: EventRow): string => new Date(at).toISOString().slice(0, 7)
const linesOf = (rows: EventRow[]): string => toJsonLines(rows.map(toEntry))

async function append(folder: string, month: string, rows: EventRow[]): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const file = await open(join(folder, `${month}.jsonl`), 'a', 0o600)
  try {
    await file.appendFile(linesOf(rows))
    await file.sync()
  } finally {
    await file.close()
  }
  await syncFolder(folder)
}

/** An object can't be appended to. Its name has both ends, so that none replaces another one that holds more. */
async function put(blobs: Blobs, month: string, rows: EventRow[]): Promise<void> {
  const name = `${ARCHIVE_FOLDER}/${month}/${rows[0]?.id}_${rows.at(-1)?.id}.jsonl`
  await blobs.put(name, Buffer.from(linesOf(rows)), 'application/jsonl')
}
