import { once } from 'node:events'
import type { TestContext } from 'node:test'
import { SMTPServer, type SMTPServerOptions } from 'smtp-server'
import { freePort } from '../../support/free-port.ts'

export interface MailServer {
  url: string
  /** The mails that it has received, including those that it has not acknowledged. */
  received: string[]
  /** The number of connections so far. */
  connections(): number
}

interface Behaviour {
  port?: number
  /** Settles when the server accepts or rejects a mail that it has received. */
  decide?: () => Promise<void>
  options?: SMTPServerOptions
}

/** A real SMTP server that keeps the mails it receives. */
export async function startMailServer(t: TestContext, behaviour: Behaviour = {}): Promise<MailServer> {
  const { decide = async () => {}, options = {} } = behaviour
  const port = behaviour.port ?? (await freePort())
  const received: string[] = []
  let connections = 0
  const server = new SMTPServer({
    disabledCommands: ['AUTH', 'STARTTLS'],
    closeTimeout: 1,
    onConnect(_session, done) {
      connections++
      done()
    },
    onData(stream, _session, done) {
      let mail = ''
      stream.on('data', (chunk: Buffer) => (mail += chunk.toString()))
      stream.on('end', () => {
        received.push(mail)
        // oxlint-disable-next-line promise/no-callback-in-promise -- The server's own interface.
        decide().then(() => done(), done)
      })
    },
    ...options,
  })
  server.listen(port, '127.0.0.1')
  await once(server.server, 'listening')
  t.after(() => new Promise<void>((resolve) => server.close(() => resolve())))
  return { url: `smtp://127.0.0.1:${port}`, received, connections: () => connections }
}

/** An SMTP reply in the form that the callbacks of the server take. */
export const reply = (responseCode: number, message: string): Error =>
  Object.assign(new Error(message), { responseCode })
