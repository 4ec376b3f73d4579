import type { TestContext } from 'node:test'
import { startTcpProxy } from './tcp-proxy.ts'

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
  const waiting: (() => void)[] = []
  const held = Promise.withResolvers<void>()
  let isReleased = false
  const url = await startTcpProxy(t, target, (client, server) => {
    server.pipe(client)
    let isHeld = false
    client.on('data', (chunk: Buffer) => {
      isHeld ||= !isReleased && chunk.includes(text)
      if (isHeld) {
        waiting.push(() => server.write(chunk))
        held.resolve()
      } else server.write(chunk)
    })
    waiting.push(() => (isHeld = false))
  })
  return {
    url,
    held: held.promise,
    release() {
      isReleased = true
      for (const forward of waiting.splice(0)) forward()
    },
  }
}
