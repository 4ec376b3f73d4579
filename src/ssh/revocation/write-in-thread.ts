import { Worker } from 'node:worker_threads'
import { type ListContent, writeRevocationList } from './write-revocation-list.ts'

/** So many serials are written in a few milliseconds: less than a thread takes to start. */
const MAX_WRITTEN_HERE = 10_000

/** Writes a list without holding up others: a long one in a thread of its own. */
export const writeInThread = async (content: ListContent): Promise<Buffer> =>
  content.serials.length <= MAX_WRITTEN_HERE ? writeRevocationList(content) : startThread(content)

const startThread = (content: ListContent): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    const url = new URL('revocation-list-thread.ts', import.meta.url)
    const worker = new Worker(url, { workerData: content, execArgv: [] })
    // A service that stops does not wait for a list.
    worker.unref()
    worker.on('message', ({ buffer }: Uint8Array) => resolve(Buffer.from(buffer)))
    worker.on('error', reject)
    // Nothing after the answer.
    worker.on('exit', (code) => reject(new Error(`The thread that writes the revocation list ended (${code}).`)))
  })
