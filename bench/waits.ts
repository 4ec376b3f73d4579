import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { expect, get, openConnection, postJson } from './connection.ts'
import { type Fixture, ISSUER } from './fixture.ts'
import { newFolder, removeFolder, residentMemory, type Seeded, type Server, settle, startOnCopy } from './servers.ts'

export interface Waits {
  hosts: number
  /** Milliseconds from the request for a revocation until the last host has the new list. */
  milliseconds: number
  /** Of the server, in MB, while all hosts wait. */
  memory: number
}

const OPENED_AT_ONCE = 200
const ANSWER_TIMEOUT_MS = 20_000
const SETTLING_MS = 1500

export interface WaitingWaves {
  /** Of the server before any host waits, in MB. */
  idle: number
  first: Waits
  /** It finds what the first has left behind. */
  second: Waits
}

/** Two waves of hosts that wait, on a server that does nothing else. */
export async function measureWaves({ file, fixture }: Seeded, hosts: number): Promise<WaitingWaves> {
  const folder = newFolder()
  const server = await startOnCopy(folder, file)
  try {
    await settle()
    const idle = residentMemory(server.pid)
    const first = await measureWaits(server, fixture, hosts)
    const others = { ...fixture, certificateIds: fixture.certificateIds.slice(0, -1) }
    return { idle, first, second: await measureWaits(server, others, hosts) }
  } finally {
    await server.stop()
    removeFolder(folder)
  }
}

/** Lets as many hosts wait for the revocation list, revokes a certificate, and waits until every host has its answer. */
async function measureWaits(server: Server, { people, certificateIds }: Fixture, hosts: number): Promise<Waits> {
  const connection = await openConnection(server.port)
  const sockets: Socket[] = []
  try {
    const { head } = await connection.send(get('/ssh/krl?format=krl'))
    const etag = /\r\netag: (?:W\/)?"([^"]+)"/i.exec(head)?.[1] ?? ''
    let missing = hosts
    const all = Promise.withResolvers<void>()
    while (sockets.length < hosts) {
      const count = Math.min(OPENED_AT_ONCE, hosts - sockets.length)
      const opened = Array.from({ length: count }, () => connect(server.port, '127.0.0.1'))
      await Promise.all(opened.map((socket) => once(socket, 'connect')))
      for (const socket of opened) {
        socket.write(get(`/ssh/krl?format=krl&wait=${etag}`))
        socket.once('data', (chunk: Buffer) => {
          if (!chunk.toString('latin1').startsWith('HTTP/1.1 200')) all.reject(new Error(chunk.toString('latin1')))
          socket.destroy()
          if (--missing === 0) all.resolve()
        })
      }
      sockets.push(...opened)
    }
    await new Promise((resolve) => setTimeout(resolve, SETTLING_MS))
    if (missing < hosts) throw new Error(`${hosts - missing} hosts did not wait.`)
    const memory = residentMemory(server.pid)
    const late = setTimeout(() => all.reject(new Error(`${missing} hosts got no answer.`)), ANSWER_TIMEOUT_MS)
    const headers = { Cookie: `session=${people[0]?.session}`, Origin: ISSUER }
    const started = performance.now()
    const revoke = postJson(`/api/ssh/certs/${certificateIds.at(-1)}/revoke`, {}, headers)
    const [answer] = await Promise.all([connection.send(revoke), all.promise])
    clearTimeout(late)
    expect(answer, 200, '"success":true')
    return { hosts, milliseconds: performance.now() - started, memory }
  } finally {
    connection.close()
    for (const socket of sockets) socket.destroy()
  }
}
