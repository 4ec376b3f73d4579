import { readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { isCode } from '../../storage/durable-files.ts'
import type { Config } from '../config/config.ts'

const KEPT_MS = 30 * 24 * 3_600_000
const EVERY_MS = 3_600_000

/**
 * Deletes old mails from the outbox, every hour. Each process has a folder of its own, so this is not shared between replicas.
 * Where there is a mail server, what is in the folder is from before, and is left to its owner.
 */
export function createOutboxSweeper({
  config,
  now,
}: {
  config: Pick<Config, 'dataDir' | 'smtpUrl'>
  now: () => number
}) {
  const folder = join(config.dataDir, 'outbox')
  let sweptAt = -Infinity
  return async (stop: AbortSignal): Promise<void> => {
    if (config.smtpUrl !== undefined || Math.abs(now() - sweptAt) < EVERY_MS) return
    sweptAt = now()
    for (const name of await listMails(folder)) {
      if (stop.aborted) return
      const path = join(folder, name)
      const found = await unlessGone(stat(path))
      if (found && found.mtimeMs <= now() - KEPT_MS) await rm(path, { force: true })
    }
  }
}

const listMails = async (folder: string): Promise<string[]> =>
  (await unlessGone(readdir(folder)))?.filter((name) => name.endsWith('.eml')) ?? []

/** Undefined when it is not there: its owner may remove a mail, or the folder, at any time. */
const unlessGone = <T>(looking: Promise<T>): Promise<T | undefined> =>
  looking.catch((error: unknown) => {
    if (isCode(error, 'ENOENT')) return undefined
    throw error
  })
