import { once } from 'node:events'
import { chmodSync, rmSync } from 'node:fs'
import { createServer, type Socket } from 'node:net'
import { AppError } from '../../errors.ts'
import type { IdentityServices } from '../../identity/access-events.ts'
import { readCommand, runCommand } from './commands.ts'
import { type Answer, controlSocketOf, isTooLong } from './send-command.ts'

const MAX_REQUEST_LENGTH = 4096
const REQUEST_TIMEOUT_MS = 5000
/** A command is sent by a person or by a script, one after the other. */
const MAX_CONNECTIONS = 16

/** Listens for the command line. Only our own user can open the socket. Returns the function that stops it. */
export async function serveCommands(services: IdentityServices): Promise<() => Promise<void>> {
  const { config, log } = services
  const socket = controlSocketOf(config.databaseUrl)
  if (socket === undefined) return async () => {}
  if (isTooLong(socket)) {
    log.warn(
      { socket },
      'The path of the data folder is too long for a socket: commands need the service to be stopped, or a shorter DATA_DIR.',
    )
    return async () => {}
  }
  const server = createServer((connection) => void serve(services, connection))
  server.maxConnections = MAX_CONNECTIONS
  try {
    // This process holds the lock of the database, so an existing socket was left by a process that died.
    rmSync(socket, { force: true })
    server.listen(socket)
    await once(server, 'listening')
    chmodSync(socket, 0o600)
  } catch (error) {
    log.warn({ err: error }, 'The socket for commands could not be opened: they need the service to be stopped.')
  }
  // A later failure to accept is no reason to end the service.
  server.on('error', (error) => log.warn({ err: error }, 'The socket for commands failed.'))
  return async () => {
    if (!server.listening) return
    server.close()
    await once(server, 'close')
  }
}

async function serve(services: IdentityServices, connection: Socket): Promise<void> {
  connection.setTimeout(REQUEST_TIMEOUT_MS, () => connection.destroy())
  connection.on('error', () => connection.destroy())
  const line = await readLine(connection)
  if (line === undefined) return void connection.destroy()
  connection.setTimeout(0)
  connection.end(`${JSON.stringify(await answerTo(services, line))}\n`)
}

async function answerTo(services: IdentityServices, line: string): Promise<Answer> {
  const command = readCommand(line)
  if (!command) return { refused: 'The running service does not know this command. Is it of another version?' }
  try {
    return { said: await runCommand(services, command) }
  } catch (error) {
    if (error instanceof AppError) return { refused: error.message }
    services.log.error({ err: error, command: command.name }, 'A command failed.')
    return { refused: 'It failed. The log of the running service says why.' }
  }
}

function readLine(connection: Socket): Promise<string | undefined> {
  return new Promise((resolve) => {
    let text = ''
    connection.setEncoding('utf8')
    connection.on('data', (chunk: string) => {
      text += chunk
      if (text.includes('\n')) resolve(text.slice(0, text.indexOf('\n')))
      else if (text.length > MAX_REQUEST_LENGTH) resolve(undefined)
    })
    connection.on('close', () => resolve(undefined))
  })
}
