import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import type { TestContext } from 'node:test'

/** Listens until the test ends, and connects each client to the server of the URL. Returns the URL with the address of the proxy. */
export async function startTcpProxy(
  t: Pick<TestContext, 'after'>,
  target: string,
  forward: (client: Socket, server: Socket) => void,
): Promise<string> {
  const { hostname, port } = new URL(target)
  const open = new Set<Socket>()
  const proxy = createServer((client) => {
    const server = connect(Number(port), hostname)
    for (const [one, other] of [
      [client, server],
      [server, client],
    ] as const) {
      open.add(one)
      one.on('error', () => other.destroy())
      one.on('close', () => {
        open.delete(one)
        other.destroy()
      })
    }
    forward(client, server)
  })
  proxy.listen(0, '127.0.0.1')
  await once(proxy, 'listening')
  t.after(async () => {
    const closed = once(proxy, 'close')
    proxy.close()
    for (const socket of open) socket.destroy()
    await closed
  })
  const url = new URL(target)
  url.hostname = '127.0.0.1'
  url.port = String((proxy.address() as AddressInfo).port)
  return url.href
}
