import { EventEmitter } from 'node:events'
import type { Trx } from './database.ts'

/**
 * Messages between replicas. A signal is a hint that something may have changed: its listener reads the database again, so
 * one that comes twice does no harm.
 */
export interface SignalPayloads {
  notifications: { userIds: string[] }
  'notifications-read': { userIds: string[] }
  'sessions-ended': { userIds: string[] }
  'client-changed': { clientId: string }
  'keys-changed': null
  /** Signals may have been missed: reread everything. */
  resync: null
}

export type SignalName = keyof SignalPayloads

export interface Signals {
  /** Reaches every replica once the transaction is durable. */
  emit<N extends SignalName>(trx: Trx, name: N, payload: SignalPayloads[N]): Promise<void>
  /** Returns the function that stops listening. */
  on<N extends SignalName>(name: N, listener: (payload: SignalPayloads[N]) => void): () => void
}

/** PostgreSQL carries no more than 8,000 bytes at a time. */
const MAX_USERS_PER_SIGNAL = 100

export async function emitForUsers(
  signals: Signals,
  trx: Trx,
  name: 'notifications' | 'notifications-read' | 'sessions-ended',
  userIds: string[],
): Promise<void> {
  for (let at = 0; at < userIds.length; at += MAX_USERS_PER_SIGNAL) {
    await signals.emit(trx, name, { userIds: userIds.slice(at, at + MAX_USERS_PER_SIGNAL) })
  }
}

export function createEmitter() {
  const emitter = new EventEmitter().setMaxListeners(0)
  return {
    deliver: (name: string, payload: unknown) => void emitter.emit(name, payload),
    on: ((name, listener) => {
      emitter.on(name, listener)
      return () => void emitter.off(name, listener)
    }) satisfies Signals['on'] as Signals['on'],
  }
}

/** For SQLite: one process works on the file, so signals stay within it. */
export function createLocalSignals(): Signals {
  const { deliver, on } = createEmitter()
  return { emit: async (trx, name, payload) => trx.afterCommit(() => deliver(name, payload)), on }
}
