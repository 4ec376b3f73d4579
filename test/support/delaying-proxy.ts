import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import type { TestContext } from 'node:test'

export interface DelayingProxy {
  /** The target URL, with the address of the proxy. */
  url: string
  /** Resolves when a client has sent the text, which is now held back. */
  held: Promise<void>
  /** Forwards what was held back, and everything after it. */
  release(): void
}

/** A TCP proxy between the service and a server. Once a client sends `text`, it holds back that and all later data of the connection. */
export async function startDelayingProxy(
  t: Pick<TestContext, 'after'>,
  target: string,
  text: string,
): Promise<DelayingProxy> {
  const { hostname, port } = new URL(target)
  const open = new Set<Socket>()
  const waiting: (() => void)[] = []
  const held = Promise.withResolvers<void>()
  let isReleased = false
  const proxy = createServer((client) => {
    const server = connect(Number(port), hostname)
    server.pipe(client)
    let isHeld = false
    client.on('data', (chunk: Buffer) => {
      isHeld ||= !isReleased && chunk.includes(text)
      if (isHeld) {
        waiting.push(() => server.write(chunk))
        held.resolve()
      } else server.write(chunk)
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
    waiting.push(() => (isHeld = false))
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
  return {
    url: url.href,
    held: held.promise,
    release() {
      isReleased = true
      for (const forward of waiting.splice(0)) forward()
    },
  }
}
