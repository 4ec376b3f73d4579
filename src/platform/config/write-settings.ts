import { VARIABLES, type VariableName } from './variables.ts'

/** Most people set these; the others follow, in the order of docs/configuration.md. */
const FIRST: VariableName[] = ['BASE_URL', 'DATA_DIR', 'TRUST_PROXY', 'SMTP_URL', 'MAIL_FROM']

const EXAMPLES: Partial<Record<VariableName, string>> = {
  BASE_URL: 'https://id.example.com',
  TRUST_PROXY: '127.0.0.1',
  SMTP_URL: 'smtps://user:password@mail.example.com',
  MAIL_FROM: 'Latchkey <no-reply@example.com>',
  METRICS_ADDRESS: '127.0.0.1:9464',
}

const WIDTH = 118

/** A settings file with every setting in it and what it means. Those that are not given are commented out. */
export function writeSettings(given: Partial<Record<VariableName, string>> = {}): string {
  const names = Object.keys(VARIABLES) as VariableName[]
  const head = `# Settings of Latchkey. A line that begins with # is a comment. Variables of the environment win over this file.
# A secret can be in a file of its own: SECRET_KEY_FILE=<path> instead of SECRET_KEY. "latchkey check-config" tries everything.
`
  const ordered = [...FIRST, ...names.filter((name) => !FIRST.includes(name))]
  return [head, ...ordered.map((name) => describe(name, given[name]))].join('\n')
}

function describe(name: VariableName, value: string | undefined): string {
  const { meaning, fallback, accepts } = VARIABLES[name]
  const text = `${meaning} It is ${accepts}. Default: ${fallback}.`.replaceAll('`', '').replace(/\.\.$/, '.')
  const line = value === undefined ? `#${name}=${EXAMPLES[name] ?? ''}` : `${name}=${value}`
  return `${wrap(text)}\n${line}\n`
}

/** In lines of comment. */
function wrap(text: string): string {
  const lines: string[] = []
  for (const word of text.split(' ')) {
    const last = lines.at(-1)
    if (last !== undefined && last.length + word.length < WIDTH) lines[lines.length - 1] = `${last} ${word}`
    else lines.push(`# ${word}`)
  }
  return lines.join('\n')
}
