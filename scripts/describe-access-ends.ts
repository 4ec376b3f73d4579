// The table of docs/telling-applications.md: every way in which access ends, and what each receiver gets.
import { readFileSync } from 'node:fs'
import { ACCESS_ENDS, type AccessEnd } from '../src/vocabulary/access-ends.ts'

const PAGE = 'docs/telling-applications.md'
const BEGIN = '<!-- What follows is generated from src/vocabulary/access-ends.ts: npm run openapi -->'
const END = '<!-- Until here. -->'

const LOGOUT_TOKENS: Record<(typeof ACCESS_ENDS)[AccessEnd]['reach'], string> = {
  session: 'with `sid`',
  person: 'without `sid`',
  person_at_client: 'without `sid`, to this application',
  client: 'without `sid`, to this application, for everybody',
}

/** The page with the table as it should be. */
export function describeAccessEnds(): Record<string, string> {
  const text = readFileSync(PAGE, 'utf8')
  const [before, rest, ...others] = text.split(BEGIN)
  const after = rest?.split(END)[1]
  if (before === undefined || after === undefined || others.length > 0) throw new Error(`${PAGE} lacks its marks.`)
  return { [PAGE]: `${before}${BEGIN}\n\n${table()}\n\n${END}${after}` }
}

function table(): string {
  const rows = Object.values(ACCESS_ENDS).map(({ title, audit, reach, signals }) => [
    title,
    LOGOUT_TOKENS[reach],
    `\`${audit}\``,
    signals.map((signal) => `\`${signal}\``).join(', '),
  ])
  const head = ['What happens', 'Logout token', 'Webhook', 'Shared signals']
  // As the formatter aligns the other tables of the page.
  const widths = head.map((cell, column) => Math.max(...[head, ...rows].map((row) => (row[column] ?? cell).length)))
  const line = (cells: string[]) => `| ${cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`
  return [line(head), line(widths.map((width) => '-'.repeat(width))), ...rows.map(line)].join('\n')
}
