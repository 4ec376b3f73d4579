import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import type { TestContext } from 'node:test'

export interface DelayedLine {
  /** The same URL, by way of this line. */
  url: string
  /** Resolves when somebody has said the words, and is not heard. */
  held: Promise<void>
  /** Passes on what was held back, and everything after it. */
  release(): void
}

/** Stands between the service and a server, and holds back each connection from where certain words are said on it. */
export async function delayedLine(t: Pick<TestContext, 'after'>, target: string, words: string): Promise<DelayedLine> {
  const { hostname, port } = new URL(target)
  const open = new Set<Socket>()
  const waiting: (() => void)[] = []
  const heard = Promise.withResolvers<void>()
  let isReleased = false
  const relay = createServer((near) => {
    const far = connect(Number(port), hostname)
    far.pipe(near)
    let isHeld = false
    near.on('data', (chunk: Buffer) => {
      isHeld ||= !isReleased && chunk.includes(words)
      if (isHeld) {
        waiting.push(() => far.write(chunk))
        heard.resolve()
      } else far.write(chunk)
    })
    for (const [one, other] of [
      [near, far],
      [far, near],
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
  relay.listen(0, '127.0.0.1')
  await once(relay, 'listening')
  t.after(async () => {
    const closed = once(relay, 'close')
    relay.close()
    for (const socket of open) socket.destroy()
    await closed
  })
  const url = new URL(target)
  url.hostname = '127.0.0.1'
  url.port = String((relay.address() as AddressInfo).port)
  return {
    url: url.href,
    held: heard.promise,
    release() {
      isReleased = true
      for (const pass of waiting.splice(0)) pass()
    },
  }
}
