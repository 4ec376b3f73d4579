import { type KeyObject, sign } from 'node:crypto'
import { parentPort, workerData } from 'node:worker_threads'
import { type Order, SIGNATURE_BYTES } from './sign-together.ts'

// A thread that signs whatever it is sent with the one key it was given.
const key = workerData as KeyObject

parentPort?.on('message', ({ bytes, ends }: Order) => {
  const signatures = new Uint8Array(ends.length * SIGNATURE_BYTES)
  let start = 0
  ends.forEach((end, at) => {
    signatures.set(sign(null, bytes.subarray(start, end), key), at * SIGNATURE_BYTES)
    start = end
  })
  parentPort?.postMessage(signatures, [signatures.buffer])
})
