import { EventEmitter } from 'node:events'

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
  /** Something is on a revocation list of SSH certificates that was not. */
  'revocations-changed': null
  /** A role, who holds it, or an account: who may log in to hosts, and as whom. */
  'access-changed': null
  /** Whom a host admits, or its token. */
  'host-changed': { hostId: string }
  /** There is something to tell a receiver. */
  'deliveries-added': null
  /** Signals may have been missed: reread everything. */
  resync: null
}

export type SignalName = keyof SignalPayloads

/** What a transaction has of signals, so that the store that changes something can say so. */
export interface Signaller {
  /** Reaches every replica once the transaction is durable. Sent once, also when it is given several times. */
  signal<N extends SignalName>(name: N, payload: SignalPayloads[N]): void
}

export interface Signals {
  /** The same, for callers that have the services. */
  emit<N extends SignalName>(trx: Signaller, name: N, payload: SignalPayloads[N]): Promise<void>
  /** Returns the function that stops listening. */
  on<N extends SignalName>(name: N, listener: (payload: SignalPayloads[N]) => void): () => void
}

/** PostgreSQL carries no more than 8,000 bytes at a time. */
const MAX_USERS_PER_SIGNAL = 100

export async function emitForUsers(
  signals: Signals,
  trx: Signaller,
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
    signals: {
      emit: async (trx, name, payload) => trx.signal(name, payload),
      on(name, listener) {
        emitter.on(name, listener)
        return () => void emitter.off(name, listener)
      },
    } satisfies Signals as Signals,
  }
}

/** For one transaction. */
export function signalOnce(send: (name: SignalName, payload: unknown) => void): Signaller['signal'] {
  const sent = new Set<string>()
  return (name, payload) => {
    const text = JSON.stringify([name, payload])
    if (sent.has(text)) return
    sent.add(text)
    send(name, payload)
  }
}
