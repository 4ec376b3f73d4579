import { describeFailure, printError } from './describe-failure.ts'
import { UsageError } from './operations/cli/usage.ts'
import type { SettingsSource } from './platform/config/config.ts'

/** Each command is a file that is loaded when it runs; none of it is part of the service. */
const COMMANDS: Record<string, () => Promise<{ run(args: string[], source: SettingsSource): Promise<void> }>> = {
  serve: () => import('./operations/cli/serve.ts'),
  'check-config': () => import('./operations/cli/check-config.ts'),
  init: () => import('./operations/cli/init.ts'),
  status: () => import('./operations/cli/status.ts'),
  version: () => import('./operations/cli/version.ts'),
  backup: () => import('./operations/cli/backup.ts'),
  restore: () => import('./operations/cli/restore.ts'),
  restored: () => import('./operations/cli/restored.ts'),
  admin: () => import('./operations/cli/admin.ts'),
  keys: () => import('./operations/cli/keys.ts'),
  'verify-proof': () => import('./operations/cli/verify-proof.ts'),
}

const USAGE = `Usage: latchkey [--env-file <file>] <command>

  latchkey serve                      runs the service
  latchkey check-config               reads the settings, and tries the database, mail and the store of pictures
  latchkey init [<file>]              writes a settings file with comments
  latchkey status                     says whether the service answers, and which version it has
  latchkey version                    prints the version of this command
  latchkey backup <folder>            makes a backup in a new folder, also while the service runs (SQLite)
  latchkey restore <backup>           restores a backup where there is no data yet (SQLite)
  latchkey restored                   makes a database that other tools have restored safe to use (pg_restore)
  latchkey admin grant <email>        makes an account an administrator
  latchkey admin recover <email>      prints a link to set up a passkey or a second step that was lost
  latchkey admin remove-app <email>   removes an authenticator app that was lost
  latchkey keys rotate                replaces the key that signs ID tokens
  latchkey verify-proof <file>...     checks proofs that everybody was told of accounts that were disabled

latchkey <command> --help says more, with an example. Commands read the same settings as the service: the environment, and one
file: that of --env-file, .env in the working folder, or /etc/latchkey/latchkey.env.`

// Nothing this process writes is for other users of the machine.
process.umask(0o077)
// The reader of the output may have closed its end, as in `latchkey --help | head -1`. The command runs all the same.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {})
process.exitCode = await main(process.argv.slice(2))

async function main(given: string[]): Promise<number> {
  const { envFile, rest } = takeEnvFile(given)
  if (envFile === '') return complain('--env-file needs the path of a file.', 2)
  const [name = '', ...args] = rest
  if (name === '--version') {
    const { VERSION } = await import('./platform/config/version.ts')
    return print(VERSION)
  }
  if (name === '' || name === 'help' || name === '--help' || name === '-h') return print(USAGE, name === '' ? 2 : 0)
  const load = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined
  if (!load) return complain(`There is no command ${JSON.stringify(name)}. latchkey --help lists them.`, 2)
  const command = await load()
  try {
    await command.run(args, { envFile })
    // A command may have set another one, for example because a check failed.
    return Number(process.exitCode ?? 0)
  } catch (error) {
    if (error instanceof UsageError) return error.isHelp ? print(error.message) : complain(error.message, 2)
    return complain(describeFailure(error), 1)
  }
}

/** The option may stand anywhere, as `--env-file <file>` or `--env-file=<file>`. */
function takeEnvFile(args: string[]): { envFile: string | undefined; rest: string[] } {
  const at = args.findIndex((each) => each === '--env-file' || each.startsWith('--env-file='))
  if (at < 0) return { envFile: undefined, rest: args }
  const isSeparate = args[at] === '--env-file'
  const envFile = isSeparate ? (args[at + 1] ?? '') : (args[at] ?? '').slice('--env-file='.length)
  return { envFile, rest: args.toSpliced(at, isSeparate ? 2 : 1) }
}

function print(text: string, code = 0): number {
  process.stdout.write(`${text}\n`)
  return code
}

function complain(text: string, code: number): number {
  printError(text)
  return code
}
