import { parseArgs, type ParseArgsOptionsConfig } from 'node:util'

/** The command was not understood, or help was requested. */
export class UsageError extends Error {
  readonly isHelp: boolean

  constructor(message: string, isHelp = false) {
    super(message)
    this.isHelp = isHelp
  }
}

interface Shape<S extends string, V extends string> {
  /** How many there must be, or the fewest and the most. */
  words: number | readonly [number, number]
  switches?: readonly S[]
  /** Options that take a value. */
  values?: readonly V[]
}

/** Reads what follows a command: words, switches that are on or off, and options with a value. */
export function readArguments<const S extends string = never, const V extends string = never>(
  args: string[],
  usage: string,
  { words, switches = [], values: valueNames = [] }: Shape<S, V>,
): { words: string[]; on: Record<S, boolean>; values: Partial<Record<V, string>> } {
  const options: ParseArgsOptionsConfig = { help: { type: 'boolean', short: 'h' } }
  for (const name of switches) options[name] = { type: 'boolean' }
  for (const name of valueNames) options[name] = { type: 'string' }
  const { values, positionals } = parse(args, options)
  if (values['help'] === true) throw new UsageError(usage, true)
  const [fewest, most] = typeof words === 'number' ? [words, words] : words
  if (positionals.length < fewest || positionals.length > most) throw new UsageError(usage.split('\n')[0] ?? '')
  return {
    words: positionals,
    on: Object.fromEntries(switches.map((name) => [name, values[name] === true])) as Record<S, boolean>,
    values: Object.fromEntries(
      valueNames.flatMap((name) => (typeof values[name] === 'string' ? [[name, values[name]]] : [])),
    ) as Partial<Record<V, string>>,
  }
}

function parse(args: string[], options: ParseArgsOptionsConfig) {
  try {
    return parseArgs({ args, options, allowPositionals: true })
  } catch (error) {
    throw new UsageError((error as Error).message)
  }
}
