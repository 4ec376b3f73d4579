import { parseArgs, type ParseArgsOptionsConfig } from 'node:util'

/** The command was not understood, or help was requested. */
export class UsageError extends Error {
  readonly isHelp: boolean

  constructor(message: string, isHelp = false) {
    super(message)
    this.isHelp = isHelp
  }
}

/** Reads what follows a command: the given number of words, and switches that are on or off. */
export function readArguments<const S extends string>(
  args: string[],
  usage: string,
  { words, switches = [] }: { words: number; switches?: readonly S[] },
): { words: string[]; on: Record<S, boolean> } {
  const options: ParseArgsOptionsConfig = { help: { type: 'boolean', short: 'h' } }
  for (const name of switches) options[name] = { type: 'boolean' }
  const { values, positionals } = parse(args, options)
  if (values['help'] === true) throw new UsageError(usage, true)
  if (positionals.length !== words) throw new UsageError(usage.split('\n')[0] ?? '')
  return {
    words: positionals,
    on: Object.fromEntries(switches.map((name) => [name, values[name] === true])) as Record<S, boolean>,
  }
}

function parse(args: string[], options: ParseArgsOptionsConfig) {
  try {
    return parseArgs({ args, options, allowPositionals: true })
  } catch (error) {
    throw new UsageError((error as Error).message)
  }
}
