import { mkdir, open } from 'node:fs/promises'
import { join } from 'node:path'
import type { Config } from '../config/config.ts'
import type { Database } from '../storage/database.ts'
import { syncFolder } from '../storage/durable-files.ts'
import { toEntry } from './audit-entry.ts'
import { deleteEvents, type EventRow, listOldestEvents } from './audit-store.ts'
import { toJsonLines } from './json-lines.ts'

/** In the data folder: a file for each month of entries. */
export const ARCHIVE_FOLDER = 'audit-archive'
const BATCH = 500
const DAY_MS = 24 * 3600_000

interface Needs {
  config: Pick<Config, 'auditRetentionDays' | 'dataDir'>
  db: Database
  now: () => number
}

/**
 * Moves entries of the audit trail that are older than the retention time into files. They are on disk before they are deleted, so
 * that none is lost: after a crash in between, some are in the file twice, with the same id.
 */
export async function archiveEvents({ config, db, now }: Needs, stop: AbortSignal): Promise<number> {
  const { auditRetentionDays, dataDir } = config
  if (auditRetentionDays === undefined) return 0
  const before = now() - auditRetentionDays * DAY_MS
  let moved = 0
  while (!stop.aborted) {
    const rows = await listOldestEvents(db.read, before, BATCH)
    if (rows.length === 0) return moved
    for (const [month, own] of Map.groupBy(rows, monthOf)) await append(join(dataDir, ARCHIVE_FOLDER), month, own)
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

async function append(folder: string, month: string, rows: EventRow[]): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const file = await open(join(folder, `${month}.jsonl`), 'a', 0o600)
  try {
    await file.appendFile(toJsonLines(rows.map(toEntry)))
    await file.sync()
  } finally {
    await file.close()
  }
  await syncFolder(folder)
}
