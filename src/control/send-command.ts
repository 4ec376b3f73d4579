import { connect } from 'node:net'
import { StartError } from '../errors.ts'
import type { Command } from './commands.ts'
import { type Answer, controlSocketOf, isTooLong } from './control-socket.ts'

/** Sends a command to the service that runs on this file; undefined when none does. */
export async function sendCommand(databaseUrl: string, command: Command): Promise<Answer | undefined> {
  const socket = controlSocketOf(databaseUrl)
  if (socket === undefined || isTooLong(socket)) return undefined
  let text = ''
  try {
    const connection = connect(socket)
    connection.setEncoding('utf8')
    connection.write(`${JSON.stringify(command)}\n`)
    for await (const chunk of connection) text += chunk as string
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined
    // No such socket, or one that a dead process left behind.
    if (text === '' && (code === 'ENOENT' || code === 'ECONNREFUSED')) return undefined
    throw new StartError(`The running service can't be reached: ${(error as Error).message}.`)
  }
  // An answer is one line. Without the line break the service was stopped before the end; its log says what it did.
  if (!text.endsWith('\n'))
    throw new StartError('The running service ended the connection before its answer was whole.')
  return JSON.parse(text) as Answer
}
