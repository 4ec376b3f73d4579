import { parentPort, workerData } from 'node:worker_threads'
import { type ListContent, writeRevocationList } from './write-revocation-list.ts'

// A thread that writes the one list it was given, and ends. Small buffers share memory, which can't be handed over.
const body = new Uint8Array(writeRevocationList(workerData as ListContent))
parentPort?.postMessage(body, [body.buffer])
