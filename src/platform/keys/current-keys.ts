import type { Logger } from 'pino'
import type { Signals } from '../../storage/signals.ts'

export interface CurrentKeys<T> {
  /** As they were read last. */
  current(): T
  /** Reads them again. */
  reload(): Promise<void>
  /** No read goes on afterwards, so that the database can be closed. */
  close(): Promise<void>
}

/** Reads keys, and reads them again when any replica has changed them. */
export async function openCurrentKeys<T extends object>(
  { signals, log }: { signals: Signals; log: Logger },
  read: () => Promise<T>,
): Promise<CurrentKeys<T>> {
  let begun = 0
  let applied = 0
  let loaded: T | undefined
  const reading = new Set<Promise<void>>()

  /** Of two concurrent reads the result of the one that began later is kept, whichever ends first. */
  const readOnce = async (): Promise<T> => {
    const turn = ++begun
    const keys = await read()
    if (loaded && turn < applied) return loaded
    applied = turn
    return (loaded = keys)
  }
  const reloadSoon = (): void => {
    const done = readOnce()
      .then(() => {})
      .catch((error: unknown) => log.warn({ err: error }, 'The keys could not be read again.'))
      .finally(() => reading.delete(done))
    reading.add(done)
  }
  // Before the first read, so that no change is missed in between.
  const stops = [signals.on('keys-changed', reloadSoon), signals.on('resync', reloadSoon)]
  const first = await readOnce()
  return {
    current: () => loaded ?? first,
    reload: async () => void (await readOnce()),
    async close() {
      for (const stop of stops) stop()
      await Promise.all(reading)
    },
  }
}
