import type { TestContext } from 'node:test'
import { startTcpProxy } from './tcp-proxy.ts'

export interface TamperingProxy {
  /** The target URL, with the address of the proxy. */
  url: string
  /** Replaces the next answer that contains the text. Without a replacement the connection is cut instead of the answer. */
  replaceNext(text: string, replace?: (answer: Buffer) => Buffer): void
}

/** A TCP proxy between the service and a server, which changes one answer of the server. */
export async function startTamperingProxy(t: Pick<TestContext, 'after'>, target: string): Promise<TamperingProxy> {
  let next: { text: string; replace: ((answer: Buffer) => Buffer) | undefined } | undefined
  const url = await startTcpProxy(t, target, (client, server) => {
    client.pipe(server)
    server.on('data', (answer: Buffer) => {
      const tampered = next && answer.includes(next.text) ? next : undefined
      if (tampered) next = undefined
      if (tampered && !tampered.replace) client.destroy()
      else client.write(tampered?.replace?.(answer) ?? answer)
    })
  })
  return { url, replaceNext: (text, replace) => void (next = { text, replace }) }
}
