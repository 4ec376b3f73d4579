import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import type { TestContext } from 'node:test'

export interface TamperingProxy {
  /** The target URL, with the address of the proxy. */
  url: string
  /** Replaces the next answer that contains the text. Without a replacement the connection is cut instead of the answer. */
  replaceNext(text: string, replace?: (answer: Buffer) => Buffer): void
}

/** A TCP proxy between the service and a server, which changes one answer of the server. */
export async function startTamperingProxy(t: Pick<TestContext, 'after'>, target: string): Promise<TamperingProxy> {
  const { hostname, port } = new URL(target)
  const open = new Set<Socket>()
  let next: { text: string; replace: ((answer: Buffer) => Buffer) | undefined } | undefined
  const proxy = createServer((client) => {
    const server = connect(Number(port), hostname)
    client.pipe(server)
    server.on('data', (answer: Buffer) => {
      const tampered = next && answer.includes(next.text) ? next : undefined
      if (tampered) next = undefined
      if (tampered && !tampered.replace) client.destroy()
      else client.write(tampered?.replace?.(answer) ?? answer)
    })
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
  return { url: url.href, replaceNext: (text, replace) => void (next = { text, replace }) }
}
