import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import type { TestContext } from 'node:test'

export interface CuttableProxy {
  /** The target URL, with the address of the proxy. */
  url: string
  /** Ends every connection and refuses new ones. */
  cut(): Promise<void>
  restore(): Promise<void>
  /** New connections go to another server. Those that are open stay where they are. */
  redirect(target: string): void
  /** Forwards nothing, but leaves all connections open, like a server that hangs or a network that drops packets. */
  freeze(): void
  unfreeze(): void
  /** Those that are open forward nothing any more, as when their path is lost. New ones do. */
  stall(): void
}

/** A TCP proxy between the service and a server, with which a test makes the server unreachable and reachable again. */
export async function startCuttableProxy(t: Pick<TestContext, 'after'>, target: string): Promise<CuttableProxy> {
  let { hostname, port } = new URL(target)
  /** Each open socket, and the socket that its data is forwarded to. */
  const open = new Map<Socket, Socket>()
  let frozen = false
  const proxy = createServer((client) => {
    const server = connect(Number(port), hostname)
    for (const [from, to] of [
      [client, server],
      [server, client],
    ] as const) {
      open.set(from, to)
      if (!frozen) from.pipe(to)
      from.on('error', () => to.destroy())
      from.on('close', () => {
        open.delete(from)
        to.destroy()
      })
    }
  })
  proxy.listen(0, '127.0.0.1')
  await once(proxy, 'listening')
  const { port: proxyPort } = proxy.address() as AddressInfo
  const cut = async () => {
    if (!proxy.listening) return
    const closed = once(proxy, 'close')
    proxy.close()
    for (const socket of open.keys()) socket.destroy()
    await closed
  }
  t.after(cut)
  const url = new URL(target)
  url.hostname = '127.0.0.1'
  url.port = String(proxyPort)
  return {
    url: url.href,
    cut,
    async restore() {
      proxy.listen(proxyPort, '127.0.0.1')
      await once(proxy, 'listening')
    },
    redirect(other) {
      ;({ hostname, port } = new URL(other))
    },
    freeze() {
      frozen = true
      for (const [from, to] of open) from.unpipe(to)
    },
    stall() {
      for (const [from, to] of open) from.unpipe(to)
    },
    unfreeze() {
      frozen = false
      for (const [from, to] of open) from.pipe(to)
    },
  }
}
