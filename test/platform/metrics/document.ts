import assert from 'node:assert/strict'

/** `| names | type | meaning |`, as in the table of docs/metrics.md. */
const ROW = /^\| (`.+`) +\| (counter|gauge|histogram) +\|/
/** `name{label,label}`, or `name_{one,other}_unit`, which stands for two names. */
const NAME = /^([a-z0-9_]+)(?:\{([a-z0-9,]+)\}([a-z_]*))?$/

/** The metrics that docs/metrics.md lists, by name. Labels are sorted. */
export function readDocument(text: string): Map<string, { type: string; labels: string[] }> {
  const metrics = new Map<string, { type: string; labels: string[] }>()
  for (const line of text.split('\n')) {
    const [, names = '', type = ''] = ROW.exec(line) ?? []
    for (const [, written = ''] of names.matchAll(/`([^`]+)`/g)) {
      const [, start = '', list, end = ''] = NAME.exec(written) ?? []
      assert.ok(start !== '', `not the name of a metric: ${written}`)
      const words = list?.split(',') ?? []
      if (end === '') metrics.set(start, { type, labels: words.toSorted() })
      else for (const word of words) metrics.set(`${start}${word}${end}`, { type, labels: [] })
    }
  }
  return metrics
}
