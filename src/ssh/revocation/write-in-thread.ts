import { Worker } from 'node:worker_threads'
import { type ListContent, writeRevocationList } from './write-revocation-list.ts'

/** Writing this many serials takes a few milliseconds, which is less than starting a thread does. */
const MAX_WRITTEN_HERE = 10_000

/** Writes a long list in a worker thread, so that it does not block other requests. */
export const writeInThread = async (content: ListContent): Promise<Buffer> =>
  content.serials.length <= MAX_WRITTEN_HERE ? writeRevocationList(content) : startThread(content)

const startThread = (content: ListContent): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    const url = new URL('revocation-list-thread.ts', import.meta.url)
    const worker = new Worker(url, { workerData: content, execArgv: [] })
    // A service that is shutting down does not wait for a list.
    worker.unref()
    worker.on('message', ({ buffer }: Uint8Array) => resolve(Buffer.from(buffer)))
    worker.on('error', reject)
    // Has no effect after the answer.
    worker.on('exit', (code) => reject(new Error(`The thread that writes the revocation list ended (${code}).`)))
  })
