import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import { test as base } from './administration.ts'

type Receiver = {
  url: string
  /** The bodies of what has come, the oldest first. */
  bodies: string[]
  /** How it answers from now on: with this status, or, with `hold`, once it is to answer with another one. */
  answerWith: (status: number | 'hold') => void
  stop: () => Promise<void>
}

/** An application on this computer that is told that access has ended. */
async function startReceiver(): Promise<Receiver> {
  const bodies: string[] = []
  let held: ServerResponse[] = []
  let answer: number | 'hold' = 204
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      bodies.push(Buffer.concat(chunks).toString())
      if (answer === 'hold') held.push(response)
      else response.writeHead(answer).end()
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('The receiver has no port.')
  return {
    url: `http://127.0.0.1:${address.port}/told`,
    bodies,
    answerWith(status) {
      answer = status
      if (status === 'hold') return
      for (const response of held) response.writeHead(status).end()
      held = []
    },
    async stop() {
      server.close()
      server.closeAllConnections()
      await once(server, 'close')
    },
  }
}

/** Settings of a server that may send requests to this computer. */
export const REACHES_RECEIVER = { OUTGOING_ALLOW: '127.0.0.0/8' }

/** With an application on this computer that is told. The server may reach it with `REACHES_RECEIVER`. */
export const test = base.extend<{ receiver: Receiver }>({
  // oxlint-disable-next-line no-empty-pattern -- Playwright reads the dependencies of the fixture from this pattern.
  receiver: async ({}, use) => {
    const receiver = await startReceiver()
    await use(receiver)
    await receiver.stop()
  },
})

export { expect } from './test.ts'
