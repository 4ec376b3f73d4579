import { parentPort, workerData } from 'node:worker_threads'
import { type ListContent, writeRevocationList } from './write-revocation-list.ts'

// A worker thread that writes one list and ends. The copy is needed because small Buffers share one ArrayBuffer, which
// can't be transferred.
const body = new Uint8Array(writeRevocationList(workerData as ListContent))
parentPort?.postMessage(body, [body.buffer])
