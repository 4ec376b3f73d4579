import type { AuditEntry } from './audit-entry.ts'

/** One entry a line (https://jsonlines.org), as exports and archives have it. */
export const toJsonLines = (entries: AuditEntry[]): string =>
  entries.map((entry) => `${JSON.stringify(entry)}\n`).join('')

/** The first page is read before the answer begins, so that a failure there is still answered with an error. */
export async function jsonLinesFile(pages: AsyncGenerator<AuditEntry[]>): Promise<AsyncGenerator<string>> {
  const first = await pages.next()
  return (async function* () {
    if (first.done) return
    yield toJsonLines(first.value)
    for await (const page of pages) yield toJsonLines(page)
  })()
}
