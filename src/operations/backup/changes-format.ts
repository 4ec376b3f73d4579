import { createHash } from 'node:crypto'
import { gunzipSync, gzipSync } from 'node:zlib'
import { StartError } from '../../errors.ts'
import type { Changes } from './read-changes.ts'

/** 4,000 pages of 4 KB. More of them are stored as several parts. */
const PAGES_PER_PART = 4000

/** What a part says about itself, before its pages. */
interface PartHeader {
  format: 1
  pageSize: number
  pageCount: number
  /** Part 1 of 3 of one change. A change is whole when all of its parts are there. */
  part: number
  parts: number
  numbers: number[]
  sha256: string
}

/** Divides a change into parts of a bounded size: a line of JSON and the pages, compressed. */
export function* writeParts({ pageSize, pageCount, pages }: Changes): Generator<Buffer> {
  const numbers = [...pages.keys()].toSorted((one, other) => one - other)
  const parts = Math.max(1, Math.ceil(numbers.length / PAGES_PER_PART))
  for (let part = 1; part <= parts; part++) {
    const chosen = numbers.slice((part - 1) * PAGES_PER_PART, part * PAGES_PER_PART)
    const content = Buffer.concat(chosen.map((number) => pages.get(number) ?? Buffer.alloc(0)))
    const sha256 = createHash('sha256').update(content).digest('hex')
    const header: PartHeader = { format: 1, pageSize, pageCount, part, parts, numbers: chosen, sha256 }
    yield gzipSync(Buffer.concat([Buffer.from(`${JSON.stringify(header)}\n`), content]), { level: 1 })
  }
}

export function readPart(name: string, bytes: Buffer): Changes & { part: number; parts: number } {
  try {
    const whole = gunzipSync(bytes)
    const end = whole.indexOf('\n')
    const { numbers, sha256, ...header } = JSON.parse(whole.subarray(0, end).toString('utf8')) as PartHeader
    const content = whole.subarray(end + 1)
    if (createHash('sha256').update(content).digest('hex') !== sha256) throw new Error('wrong digest')
    const { pageSize } = header
    const pages = new Map(numbers.map((number, at) => [number, content.subarray(at * pageSize, (at + 1) * pageSize)]))
    return { ...header, pages }
  } catch (error) {
    throw new StartError(`The backup is damaged: ${name} can't be read (${(error as Error).message}).`)
  }
}
