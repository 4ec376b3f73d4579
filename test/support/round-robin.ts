import { once } from 'node:events'
import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { TestContext } from 'node:test'

export interface RoundRobin {
  address: string
  /** How many requests each replica has answered. */
  answered(): number[]
  /** Refused connections, after each of which the request went to another replica. */
  refused(): number
  /** Requests that failed: the client received 502 or an incomplete response. */
  broken(): string[]
}

const HOP_BY_HOP = new Set(['connection', 'keep-alive', 'transfer-encoding'])

/** Readiness checks as load balancers make them, but more often. */
const CHECK_MS = 100

/**
 * Sends requests to the replicas in turn over persistent connections, and skips a replica that is not ready (/readyz). After a
 * refused connection it tries the next replica, since nothing of the request was sent; other failures are not retried.
 */
export async function startRoundRobin(t: TestContext, ports: number[]): Promise<RoundRobin> {
  const agent = new Agent({ keepAlive: true })
  const answered = ports.map(() => 0)
  const broken: string[] = []
  const ready = ports.map(() => true)
  let refused = 0
  let turn = 0

  const check = async (port: number, index: number): Promise<void> => {
    try {
      ready[index] = (await fetch(`http://127.0.0.1:${port}/readyz`)).status === 200
    } catch {
      ready[index] = false
    }
  }
  let checking = Promise.resolve()
  const checks = setInterval(() => {
    checking = checking.then(async () => void (await Promise.all(ports.map(check))))
  }, CHECK_MS)

  const next = (): number => {
    const order = ports.map((_, step) => (turn + step) % ports.length)
    const chosen = order.find((index) => ready[index]) ?? order[0] ?? 0
    turn = chosen + 1
    return chosen
  }

  const forward = (incoming: IncomingMessage, answer: ServerResponse, index: number, triesLeft: number): void => {
    const call = request({
      agent,
      host: '127.0.0.1',
      port: ports[index],
      method: incoming.method,
      path: incoming.url,
      headers: withoutHopByHop(incoming.headers),
    })
    let sent = false
    const send = () => {
      sent = true
      incoming.pipe(call)
    }
    call.on('socket', (socket) => {
      if (socket.connecting) socket.once('connect', send)
      else send()
    })
    call.on('response', (response) => {
      answered[index] = (answered[index] ?? 0) + 1
      answer.writeHead(response.statusCode ?? 502, withoutHopByHop(response.headers))
      answer.flushHeaders()
      response.pipe(answer)
      // An incomplete response must not look complete to the client.
      response.on('error', () => answer.destroy())
    })
    call.on('error', (error: NodeJS.ErrnoException) => {
      if (answer.destroyed) return
      if (!sent && error.code === 'ECONNREFUSED' && triesLeft > 0) {
        refused++
        forward(incoming, answer, (index + 1) % ports.length, triesLeft - 1)
        return
      }
      broken.push(`${incoming.method} ${incoming.url?.split('?')[0]}: ${error.code ?? error.message}`)
      if (answer.headersSent) answer.destroy()
      else answer.writeHead(502).end()
    })
    answer.on('close', () => {
      if (!answer.writableFinished) call.destroy()
    })
  }

  const proxy = createServer((incoming, answer) => forward(incoming, answer, next(), ports.length - 1))
  proxy.listen(0, '127.0.0.1')
  await once(proxy, 'listening')
  t.after(async () => {
    clearInterval(checks)
    await checking
    proxy.closeAllConnections()
    proxy.close()
    agent.destroy()
    await once(proxy, 'close')
  })
  const { port } = proxy.address() as AddressInfo
  return {
    address: `http://127.0.0.1:${port}`,
    answered: () => answered,
    refused: () => refused,
    broken: () => broken,
  }
}

const withoutHopByHop = (headers: IncomingMessage['headers']): IncomingMessage['headers'] =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => !HOP_BY_HOP.has(name)))
