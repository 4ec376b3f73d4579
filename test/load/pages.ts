import { type Connection, get } from '../../bench/connection.ts'

export interface Page {
  items: { id?: string }[]
  nextCursor: string | null
}

/** The result of reading a list page by page. */
export interface Walk {
  pages: number
  items: number
  /** Milliseconds of each page. */
  times: number[]
  /** The cursors of the middle and the last page. */
  depths: string[]
}

const MAX_TRIES = 5
const LIMIT = 200

/** Reads one page and measures the time. A slow request is retried, because the machine may have been busy. */
export async function timePage(
  connection: Connection,
  session: string,
  path: string,
  retryAboveMs: number,
): Promise<{ page: Page; took: number }> {
  const request = get(path, { Cookie: `session=${session}` })
  let best = Number.POSITIVE_INFINITY
  let body = ''
  for (let at = 0; at < MAX_TRIES && best > retryAboveMs; at++) {
    const started = performance.now()
    const answer = await connection.send(request)
    best = Math.min(best, performance.now() - started)
    if (answer.status !== 200) throw new Error(`${path}: ${answer.status} ${answer.body}`)
    body = answer.body
  }
  const { nextCursor = null, ...rest } = JSON.parse(body) as Record<string, unknown>
  const items = (Object.values(rest).find(Array.isArray) ?? []) as Page['items']
  return { page: { items, nextCursor: nextCursor as string | null }, took: best }
}

export const withCursor = (path: string, cursor: string | null): string =>
  `${path}${path.includes('?') ? '&' : '?'}limit=${LIMIT}${cursor === null ? '' : `&cursor=${cursor}`}`

/** Reads a list from its first page to its last. */
export async function walk(
  connection: Connection,
  session: string,
  path: string,
  { retryAboveMs, maxPages = Number.POSITIVE_INFINITY }: { retryAboveMs: number; maxPages?: number },
): Promise<Walk> {
  const times: number[] = []
  const cursors: string[] = []
  let items = 0
  for (let cursor: string | null = null; ;) {
    const { page, took } = await timePage(connection, session, withCursor(path, cursor), retryAboveMs)
    times.push(took)
    items += page.items.length
    if (page.nextCursor === null || times.length >= maxPages) break
    cursors.push((cursor = page.nextCursor))
  }
  const depths = [cursors[Math.floor(cursors.length / 2)], cursors.at(-1)].filter((each) => each !== undefined)
  return { pages: times.length, items, times, depths }
}
