import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { median } from './compare.ts'
import { expect, get, openConnection, postJson } from './connection.ts'
import { type Fixture, ISSUER } from './fixture.ts'
import { processorTime, type Server } from './servers.ts'

export interface FanOut {
  streams: number
  /** Milliseconds from the request for the change until the last stream has its frame. */
  milliseconds: number
  /** Microseconds of the server's processor time per frame. */
  cpu: number
}

const STREAMS_PER_PERSON = 20
const DELIVERY_TIMEOUT_MS = 20_000

/** Disables and enables a user. All administrators are notified; waits until each of their streams has sent it. */
export async function measureFanOut(server: Server, { people, victimId }: Fixture, times: number): Promise<FanOut> {
  let missing = 0
  let all = Promise.withResolvers<void>()
  const sockets: Socket[] = []
  const connection = await openConnection(server.port)
  try {
    for (const { session } of people) {
      for (let at = 0; at < STREAMS_PER_PERSON; at++) {
        sockets.push(
          await openStream(server.port, session, () => {
            missing -= 1
            if (missing === 0) all.resolve()
          }),
        )
      }
    }
    const headers = { Cookie: `session=${people[0]?.session}`, Origin: ISSUER }
    const waits: number[] = []
    const before = processorTime(server.pid)
    for (let at = 0; at < times; at++) {
      missing = sockets.length
      all = Promise.withResolvers()
      const late = setTimeout(
        () => all.reject(new Error(`${missing} streams got no notification.`)),
        DELIVERY_TIMEOUT_MS,
      )
      const started = performance.now()
      const action = at % 2 === 0 ? 'disable' : 'enable'
      const change = postJson(`/api/admin/users/${victimId}/lifecycle`, { action }, headers)
      const [answer] = await Promise.all([connection.send(change), all.promise])
      clearTimeout(late)
      waits.push(performance.now() - started)
      expect(answer, 200, '"success":true')
    }
    const cpu = (processorTime(server.pid) - before) / 1000 / times / sockets.length
    return { streams: sockets.length, milliseconds: median(waits), cpu }
  } finally {
    connection.close()
    for (const socket of sockets) socket.destroy()
  }
}

/** Resolves when the stream has begun. From then on `onNotification` is called for every notification. */
export async function openStream(port: number, session: string, onNotification: () => void): Promise<Socket> {
  const socket = connect(port, '127.0.0.1')
  socket.setEncoding('latin1')
  socket.write(get('/api/notifications/stream', { Cookie: `session=${session}` }))
  let text = ''
  while (!text.includes('retry: 3000')) {
    const [chunk] = (await once(socket, 'data')) as [string]
    text += chunk
    if (/^HTTP\/1.1 [45]/.test(text)) throw new Error(`A stream was refused: ${text}`)
  }
  socket.on('data', (chunk: string) => {
    for (const _ of chunk.matchAll(/event: notification/g)) onNotification()
  })
  return socket
}
