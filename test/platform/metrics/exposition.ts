import assert from 'node:assert/strict'

/** A sample as Prometheus reads it: `name{label="value"}` to its value. */
export interface Exposition {
  types: Map<string, string>
  samples: Map<string, number>
  /** Zero when there is no such sample. */
  value(name: string, labels?: Record<string, string>): number
}

const NAME = /^[a-zA-Z_:][a-zA-Z0-9_:]*$/
const SAMPLE = /^([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{(.*)\})? (\S+)$/
const LABEL = /([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\["\\n])*)"(?:,|$)/y
const VALUE = /^([+-]?(\d+(\.\d+)?([eE][+-]?\d+)?|Inf)|NaN)$/

/** Parses the text format 0.0.4 strictly: fails if the text breaks one of its rules. */
export function readExposition(text: string): Exposition {
  assert.ok(text.endsWith('\n'), 'the last line ends with a line feed')
  const types = new Map<string, string>()
  const helped = new Set<string>()
  const finished = new Set<string>()
  const samples = new Map<string, number>()
  let current = ''
  for (const line of text.slice(0, -1).split('\n')) {
    // "Empty lines are ignored."
    if (line === '') continue
    if (line.startsWith('#')) {
      const [, kind = '', name = '', rest = ''] = /^# (HELP|TYPE) (\S+) (.+)$/.exec(line) ?? []
      assert.match(name, NAME, line)
      if (name !== current) finished.add(current)
      assert.ok(!finished.has(name), `the lines of ${name} are together`)
      current = name
      if (kind === 'TYPE') {
        assert.ok(!types.has(name), `${name} has one type`)
        assert.match(rest, /^(counter|gauge|histogram|summary|untyped)$/)
        types.set(name, rest)
      } else {
        assert.ok(!helped.has(name) && !types.has(name), `${name} has one help, before its type`)
        helped.add(name)
      }
      continue
    }
    const [, name = '', labels, value = ''] = SAMPLE.exec(line) ?? []
    assert.ok(name !== '', `not a sample: ${line}`)
    assert.match(value, VALUE, line)
    const family = types.get(current) === 'histogram' ? name.replace(/_(bucket|sum|count)$/, '') : name
    assert.equal(family, current, `${name} follows its own TYPE line`)
    const key = keyOf(name, labels === undefined ? {} : readLabels(labels))
    assert.ok(!samples.has(key), `${key} occurs once`)
    samples.set(key, value === '+Inf' ? Infinity : Number(value))
  }
  checkHistograms(types, samples)
  return { types, samples, value: (name, labels = {}) => samples.get(keyOf(name, labels)) ?? 0 }
}

function readLabels(text: string): Record<string, string> {
  const labels: Record<string, string> = {}
  LABEL.lastIndex = 0
  while (LABEL.lastIndex < text.length) {
    const found = LABEL.exec(text)
    assert.ok(found, `labels: ${text}`)
    const [, name = '', value = ''] = found
    assert.ok(!Object.hasOwn(labels, name), text)
    labels[name] = value
  }
  return labels
}

const keyOf = (name: string, labels: Record<string, string>): string =>
  `${name}${JSON.stringify(Object.entries(labels).toSorted(([a], [b]) => (a < b ? -1 : 1)))}`

/** Buckets are cumulative, and the last one equals the count. */
function checkHistograms(types: Map<string, string>, samples: Map<string, number>): void {
  const last = new Map<string, { value: number; bound: number }>()
  for (const [key, value] of samples) {
    const name = key.slice(0, key.indexOf('['))
    if (!name.endsWith('_bucket') || types.get(name.slice(0, -'_bucket'.length)) !== 'histogram') continue
    const labels = Object.fromEntries(JSON.parse(key.slice(name.length)) as [string, string][])
    const { le = '', ...rest } = labels
    const bound = le === '+Inf' ? Infinity : Number(le)
    const series = keyOf(name.slice(0, -'_bucket'.length), rest)
    const before = last.get(series)
    if (before) assert.ok(bound > before.bound && value >= before.value, key)
    last.set(series, { value, bound })
  }
  for (const [series, { value, bound }] of last) {
    const at = series.indexOf('[')
    assert.equal(bound, Infinity, series)
    assert.equal(samples.get(`${series.slice(0, at)}_count${series.slice(at)}`), value, series)
    assert.ok(samples.has(`${series.slice(0, at)}_sum${series.slice(at)}`), series)
  }
}
