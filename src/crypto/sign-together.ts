import { type KeyObject, sign } from 'node:crypto'
import { Worker } from 'node:worker_threads'

/** Signs messages with an Ed25519 key, many at a time. */
export interface Signer {
  sign(messages: Buffer[]): Promise<Buffer[]>
  close(): Promise<void>
}

/** Messages one behind another, and where each of them ends. */
export interface Order {
  bytes: Uint8Array
  ends: Uint32Array
}

/** RFC 8032 §5.1.6. */
export const SIGNATURE_BYTES = 64

/** So few are signed at once: telling another thread takes as long. */
const FEW = 4

interface Pending {
  messages: Buffer[]
  resolve(signatures: Buffer[]): void
}

/**
 * A signature is a third of all the work there is for a certificate. So a thread of its own makes them, while this one
 * serves others; it starts when there are many for the first time. Node's own threads would do as well, but passwords are
 * hashed there, and each of those takes as long as hundreds of signatures.
 */
export function createSigner(key: KeyObject): Signer {
  const pending: Pending[] = []
  let worker: Worker | undefined

  const signHere = (messages: Buffer[]): Buffer[] => messages.map((message) => sign(null, message, key))

  const start = (): Worker => {
    const started = new Worker(new URL('signing-thread.ts', import.meta.url), { workerData: key, execArgv: [] })
    started.unref()
    // Should the thread be lost, what it had not answered is signed here, and the next batch starts another.
    const lost = () => {
      if (worker !== started) return
      worker = undefined
      for (const { messages, resolve } of pending.splice(0)) resolve(signHere(messages))
    }
    started.on('message', (signatures: Uint8Array) => pending.shift()?.resolve(unpack(signatures)))
    return started.on('error', lost).on('exit', lost)
  }

  return {
    async sign(messages) {
      if (messages.length < FEW) return signHere(messages)
      const thread = (worker ??= start())
      return new Promise((resolve) => {
        const order = pack(messages)
        pending.push({ messages, resolve })
        thread.postMessage(order, [order.bytes.buffer as ArrayBuffer, order.ends.buffer as ArrayBuffer])
      })
    },
    close: async () => void (await worker?.terminate()),
  }
}

function pack(messages: Buffer[]): Order {
  const ends = new Uint32Array(messages.length)
  let length = 0
  messages.forEach((message, at) => {
    length += message.length
    ends[at] = length
  })
  const bytes = new Uint8Array(length)
  messages.forEach((message, at) => bytes.set(message, (ends[at] ?? 0) - message.length))
  return { bytes, ends }
}

const unpack = ({ buffer, length }: Uint8Array): Buffer[] =>
  Array.from({ length: length / SIGNATURE_BYTES }, (_, at) =>
    Buffer.from(buffer, at * SIGNATURE_BYTES, SIGNATURE_BYTES),
  )
