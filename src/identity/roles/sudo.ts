import { Type } from 'typebox'

const MAX_COMMANDS = 32

/**
 * `all`, or commands. The path of a command, which sudo then allows without arguments, or followed by ` *` for any. sudo takes a path that
 * ends in a slash for a whole folder, so each part of one has a name.
 */
export const Sudo = Type.Union(
  [
    Type.Literal('none'),
    Type.Literal('all'),
    Type.Array(Type.String({ maxLength: 256, pattern: String.raw`^(?!.*\.\.)(/[A-Za-z0-9._+-]+)+( \*)?$` }), {
      minItems: 1,
      maxItems: MAX_COMMANDS,
      uniqueItems: true,
    }),
  ],
  {
    description:
      'What people with this role run as root on hosts that admit the role and have managed accounts: nothing (`none`), everything (`all`), or these commands. A path allows no arguments; with ` *` after it, any.',
  },
)
export type Sudo = Type.Static<typeof Sudo>

/** What somebody may run who is given all of these. */
export function joinSudo(given: readonly Sudo[]): Sudo {
  if (given.includes('all')) return 'all'
  const commands = [...new Set(given.flatMap((each) => (Array.isArray(each) ? each : [])))].toSorted()
  return commands.length === 0 ? 'none' : commands
}

/** What of it is not allowed by the other. */
export function sudoBeyond(sudo: Sudo, held: Sudo): string[] {
  if (sudo === 'none' || held === 'all') return []
  if (sudo === 'all') return ['sudo']
  const known = new Set(held === 'none' ? [] : held)
  return sudo.filter((command) => !known.has(command) && !known.has(`${command} *`)).map((command) => `sudo ${command}`)
}

export const isSudoWithin = (sudo: Sudo, held: Sudo): boolean => sudoBeyond(sudo, held).length === 0
