import { once } from 'node:events'
import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { TestContext } from 'node:test'

export interface RoundRobin {
  address: string
  /** How many requests each replica has answered. */
  answered(): number[]
  /** Connections that were refused, and requests that went to another replica for it. */
  refused(): number
  /** Requests that broke on the way: whoever asked got 502, or half an answer. */
  broken(): string[]
}

const HOP_BY_HOP = new Set(['connection', 'keep-alive', 'transfer-encoding'])

/** As load balancers do, only more often. */
const CHECK_MS = 100

/**
 * One request to each replica in turn, over connections that are kept; a replica whose /readyz says no is passed over. A refused
 * connection is tried on the next one, since nothing of the request has left; whatever else goes wrong is not repeated.
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

  const forward = (asked: IncomingMessage, answer: ServerResponse, index: number, triesLeft: number): void => {
    const call = request({
      agent,
      host: '127.0.0.1',
      port: ports[index],
      method: asked.method,
      path: asked.url,
      headers: withoutHops(asked.headers),
    })
    let sent = false
    const send = () => {
      sent = true
      asked.pipe(call)
    }
    call.on('socket', (socket) => {
      if (socket.connecting) socket.once('connect', send)
      else send()
    })
    call.on('response', (response) => {
      answered[index] = (answered[index] ?? 0) + 1
      answer.writeHead(response.statusCode ?? 502, withoutHops(response.headers))
      answer.flushHeaders()
      response.pipe(answer)
      // An answer that ends too early must not look like one that ended.
      response.on('error', () => answer.destroy())
    })
    call.on('error', (error: NodeJS.ErrnoException) => {
      if (answer.destroyed) return
      if (!sent && error.code === 'ECONNREFUSED' && triesLeft > 0) {
        refused++
        forward(asked, answer, (index + 1) % ports.length, triesLeft - 1)
        return
      }
      broken.push(`${asked.method} ${asked.url?.split('?')[0]}: ${error.code ?? error.message}`)
      if (answer.headersSent) answer.destroy()
      else answer.writeHead(502).end()
    })
    answer.on('close', () => {
      if (!answer.writableFinished) call.destroy()
    })
  }

  const proxy = createServer((asked, answer) => forward(asked, answer, next(), ports.length - 1))
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

const withoutHops = (headers: IncomingMessage['headers']): IncomingMessage['headers'] =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => !HOP_BY_HOP.has(name)))
