import type pg from 'pg'
import { sessionOf } from './postgres-session.ts'

/**
 * Connections whose commit was not answered in time. The server may go on with it for as long as it likes: a commit waits
 * for a synchronous standby without any limit, also when the client is gone. Closing the connection here and opening another
 * would take one more session of the server each time, until it has none left. So they count as open until the server has closed them.
 *
 * Any other statement is ended by the server's own time limit, so that its connection is closed at once.
 *
 * The server is never asked to cancel the commit: a commit that is cancelled while it waits for the standby is done without it.
 */
export interface Abandoned {
  /** Calls `ended` when the connection is closed. */
  add(client: pg.ClientBase, ended: () => void): void
  count(): number
  /** Given a way to list the sessions that the server has: closes the connections of others, whose server is gone. */
  closeUnknown(list: () => Promise<ReadonlySet<string>>): Promise<void>
  /** Closes all of them. */
  close(): void
}

export function createAbandoned(): Abandoned {
  const waiting = new Set<pg.Client>()
  const destroy = (client: pg.Client) => client.connection.stream.destroy()
  return {
    add(given, ended) {
      const client = given as pg.Client
      const { connection } = client
      if (connection.stream.destroyed) return ended()
      waiting.add(client)
      connection.once('end', () => {
        waiting.delete(client)
        ended()
      })
      // The commit was answered after all. Ending it now would close the socket at once, and not wait for the answer.
      client.once('drain', () => void client.end().catch(() => {}))
    },
    count: () => waiting.size,
    async closeUnknown(list) {
      if (waiting.size === 0) return
      const before = [...waiting]
      const known = await list()
      for (const client of before) if (!known.has(sessionOf(client) ?? '')) destroy(client)
    },
    close: () => waiting.forEach(destroy),
  }
}
