import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import type { TestContext } from 'node:test'

export interface Cuttable {
  /** The same URL, by way of a line that can be cut. */
  url: string
  /** Ends every connection and refuses new ones. */
  cut(): Promise<void>
  mend(): Promise<void>
  /** Passes nothing on any more and tells nobody: the server does not answer, or its network swallows everything. */
  freeze(): void
  thaw(): void
}

/** Stands between the service and a server, so that a test can take the server away and give it back. */
export async function cuttable(t: Pick<TestContext, 'after'>, target: string): Promise<Cuttable> {
  const { hostname, port } = new URL(target)
  /** Each open socket, and the one that hears what it says. */
  const open = new Map<Socket, Socket>()
  let frozen = false
  const relay = createServer((near) => {
    const far = connect(Number(port), hostname)
    for (const [from, to] of [
      [near, far],
      [far, near],
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
  relay.listen(0, '127.0.0.1')
  await once(relay, 'listening')
  const { port: ours } = relay.address() as AddressInfo
  const cut = async () => {
    if (!relay.listening) return
    const closed = once(relay, 'close')
    relay.close()
    for (const socket of open.keys()) socket.destroy()
    await closed
  }
  t.after(cut)
  const url = new URL(target)
  url.hostname = '127.0.0.1'
  url.port = String(ours)
  return {
    url: url.href,
    cut,
    async mend() {
      relay.listen(ours, '127.0.0.1')
      await once(relay, 'listening')
    },
    freeze() {
      frozen = true
      for (const [from, to] of open) from.unpipe(to)
    },
    thaw() {
      frozen = false
      for (const [from, to] of open) from.pipe(to)
    },
  }
}
