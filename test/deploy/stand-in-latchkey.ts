import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import { IDENTITY_HEADERS } from '../../src/oauth/sites/identity-header.ts'

/** What it says of the visitor unless a test says otherwise. */
export const VISITOR: Record<string, string> = {
  [IDENTITY_HEADERS.user]: 'mia',
  [IDENTITY_HEADERS.email]: 'mia@example.com',
  [IDENTITY_HEADERS.name]: 'Mia',
  [IDENTITY_HEADERS.groups]: 'wiki',
  [IDENTITY_HEADERS.jwt]: 'e30.e30.e30',
}

export interface StandInLatchkey {
  /** Name and port. */
  address: string
  /** What it was asked, the newest last. */
  asked: { url: string; headers: IncomingHttpHeaders }[]
  /** What it answers. Without one it accepts requests and never answers. */
  answer: { status: number; headers: Record<string, string>; body?: string } | undefined
  stop(): Promise<void>
}

/** In the place of Latchkey, to see what a proxy asks and to answer as Latchkey seldom does. It lets everybody in. */
export async function startStandInLatchkey(): Promise<StandInLatchkey> {
  const server = createServer(({ url = '', headers }, response) => {
    standIn.asked.push({ url, headers })
    if (standIn.answer) response.writeHead(standIn.answer.status, standIn.answer.headers).end(standIn.answer.body)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('The server has no port.')
  const standIn: StandInLatchkey = {
    address: `127.0.0.1:${address.port}`,
    asked: [],
    answer: { status: 200, headers: VISITOR },
    async stop() {
      server.close()
      server.closeAllConnections()
      await once(server, 'close')
    },
  }
  return standIn
}
