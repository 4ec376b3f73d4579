/** One person of an imported file, with the line that it is on. */
export type ImportRow = {
  line: number
  email: string
  displayName?: string
  preferredUsername?: string
  roles?: string[]
}

export type ParsedPeople = { rows: ImportRow[] } | { problem: 'noEmail' | 'empty' }

/** Other spellings of the columns, without regard to case, blanks, - and _. */
const COLUMNS: Record<string, 'email' | 'displayName' | 'preferredUsername' | 'roles'> = {
  email: 'email',
  emailaddress: 'email',
  mail: 'email',
  displayname: 'displayName',
  name: 'displayName',
  preferredusername: 'preferredUsername',
  username: 'preferredUsername',
  roles: 'roles',
  role: 'roles',
}

/** Reads the people of a CSV file (RFC 4180), with commas, semicolons or tabs. Lines without any text are skipped. */
export function parsePeople(text: string): ParsedPeople {
  const content = text.replace(/^\uFEFF/, '')
  const records = parseCsv(content, separatorOf(content)).filter(({ cells }) =>
    cells.some((cell) => cell.trim() !== ''),
  )
  const [head, ...body] = records
  const columns = (head?.cells ?? []).map((name) => COLUMNS[name.toLowerCase().replaceAll(/[\s_-]/g, '')])
  if (!columns.includes('email')) return { problem: 'noEmail' }
  if (body.length === 0) return { problem: 'empty' }
  return { rows: body.map(({ line, cells }) => toRow(line, columns, cells)) }
}

function toRow(line: number, columns: (string | undefined)[], cells: string[]): ImportRow {
  const cell = (name: string) => withoutApostrophe((cells[columns.indexOf(name)] ?? '').trim())
  const roles = cell('roles')
    .split(/[;|]/)
    .map((role) => role.trim())
    .filter(Boolean)
  return {
    line,
    email: cell('email'),
    ...(cell('displayName') ? { displayName: cell('displayName') } : {}),
    ...(cell('preferredUsername') ? { preferredUsername: cell('preferredUsername') } : {}),
    ...(roles.length > 0 ? { roles } : {}),
  }
}

/** An export puts an apostrophe before what a spreadsheet would read as a formula. */
const withoutApostrophe = (text: string): string => (/^'[=+\-@]/.test(text) ? text.slice(1) : text)

/** The separator that the first line has most of. */
function separatorOf(text: string): string {
  const [first = ''] = text.split(/\r?\n/, 1)
  const count = (separator: string) => first.split(separator).length
  return [',', ';', '\t'].toSorted((one, other) => count(other) - count(one))[0] ?? ','
}

type CsvRecord = { line: number; cells: string[] }

/** A cell in quotation marks may hold separators, line ends, and quotation marks that are doubled. */
function parseCsv(text: string, separator: string): CsvRecord[] {
  const records: CsvRecord[] = []
  let current: CsvRecord = { line: 1, cells: [] }
  let [cell, isQuoted, line] = ['', false, 1]
  const endCell = () => {
    current.cells.push(cell)
    cell = ''
  }
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at] ?? ''
    if (character === '\n') line += 1
    if (isQuoted) {
      if (character !== '"') cell += character
      else if (text[at + 1] === '"') {
        cell += '"'
        at += 1
      } else isQuoted = false
    } else if (character === '"' && cell === '') isQuoted = true
    else if (character === separator) endCell()
    else if (character === '\n') {
      endCell()
      records.push(current)
      current = { line, cells: [] }
    } else if (character !== '\r') cell += character
  }
  endCell()
  return [...records, current]
}
