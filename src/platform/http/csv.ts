/** A column of a CSV file: its name, and its text for an item. */
export interface CsvColumn<Item> {
  name: string
  value: (item: Item) => string | null
}

const csvHeader = (columns: CsvColumn<never>[]): string => `${columns.map(({ name }) => name).join(',')}\r\n`

/** RFC 4180. */
const csvRows = <Item>(columns: CsvColumn<Item>[], items: Item[]): string =>
  items.map((item) => `${columns.map(({ value }) => cell(value(item) ?? '')).join(',')}\r\n`).join('')

/** A cell that a spreadsheet would read as a formula is made text: names and addresses are written by strangers. */
const FORMULA = /^[=+\-@\t\r]/

function cell(text: string): string {
  const safe = FORMULA.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

/** Whether a list is requested as CSV: by the parameter or, without one, by the Accept header. */
export const asksForCsv = (format: 'json' | 'csv' | undefined, accept: string | undefined): boolean =>
  format === undefined ? accept !== undefined && /\btext\/csv\b/i.test(accept) : format === 'csv'

/** The file, a page at a time. The first page is read before the answer begins, so that a failure there is still an error. */
export async function csvFile<Item>(
  columns: CsvColumn<Item>[],
  pages: AsyncGenerator<Item[], void>,
): Promise<AsyncGenerator<string>> {
  const first = await pages.next()
  return (async function* () {
    yield csvHeader(columns) + (first.done ? '' : csvRows(columns, first.value))
    for await (const page of pages) yield csvRows(columns, page)
  })()
}
