import { UsageError } from './cli/usage.ts'
import { describeFailure, printError } from './describe-failure.ts'

/** Each command is a file that is loaded when it runs; none of it is part of the service. */
const COMMANDS: Record<string, () => Promise<{ run(args: string[]): Promise<void> }>> = {
  backup: () => import('./cli/backup.ts'),
  restore: () => import('./cli/restore.ts'),
  restored: () => import('./cli/restored.ts'),
  admin: () => import('./cli/admin.ts'),
  keys: () => import('./cli/keys.ts'),
}

const USAGE = `Usage: latchkey <command>

  latchkey backup <folder>            makes a backup in a new folder, also while the service runs (SQLite)
  latchkey restore <backup>           restores a backup where there is no data yet (SQLite)
  latchkey restored                   makes a database that other tools have restored safe to use (pg_restore)
  latchkey admin grant <email>        makes an account an administrator
  latchkey keys rotate                replaces the key that signs ID tokens

latchkey <command> --help says more. Commands read the same environment and .env as the service; npm start starts it.`

// Nothing this process writes is for other users of the machine.
process.umask(0o077)
// The reader of the output may have closed its end, as in `latchkey --help | head -1`. The command runs all the same.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {})
process.exitCode = await main(process.argv.slice(2))

async function main([name = '', ...args]: string[]): Promise<number> {
  if (name === '--version') {
    const { VERSION } = await import('./config/version.ts')
    return print(VERSION)
  }
  if (name === '' || name === 'help' || name === '--help' || name === '-h') return print(USAGE, name === '' ? 2 : 0)
  const load = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined
  if (!load) return complain(`There is no command ${JSON.stringify(name)}. latchkey --help lists them.`, 2)
  const command = await load()
  try {
    await command.run(args)
    return 0
  } catch (error) {
    if (error instanceof UsageError) return error.isHelp ? print(error.message) : complain(error.message, 2)
    return complain(describeFailure(error), 1)
  }
}

function print(text: string, code = 0): number {
  process.stdout.write(`${text}\n`)
  return code
}

function complain(text: string, code: number): number {
  printError(text)
  return code
}
