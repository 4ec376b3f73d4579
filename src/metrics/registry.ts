/**
 * What is measured, in the text format 0.0.4 that Prometheus reads
 * (https://prometheus.io/docs/instrumenting/exposition_formats/).
 */
export interface Family {
  name: string
  help: string
  type: 'counter' | 'gauge' | 'histogram'
  /** Read when somebody looks. */
  samples(): Sample[]
}

export interface Sample {
  /** What follows the family's name, of a histogram's samples. */
  suffix?: string
  /** Values come from lists in our own code, never from a request: each one lasts as long as the process. */
  labels?: Labels
  value: number
}

export type Labels = Readonly<Record<string, string>>

/** A number that grows. Adding to it is all that a hot path does. */
export interface Count {
  value: number
}

export interface Registry {
  add(family: Family): void
  gauge(name: string, help: string, read: () => number | undefined): void
  /** A counter with one series for each set of labels; a series is there from when it is first asked for. */
  counter(name: string, help: string): (labels?: Labels) => Count
  render(): string
}

export function createRegistry(): Registry {
  const families: Family[] = []
  const add = (family: Family) => void families.push(family)
  return {
    add,
    gauge: (name, help, read) =>
      add({
        name,
        help,
        type: 'gauge',
        samples() {
          const value = read()
          return value === undefined ? [] : [{ value }]
        },
      }),
    counter(name, help) {
      const series = new Map<string, { labels: Labels; count: Count }>()
      add({
        name,
        help,
        type: 'counter',
        samples: () => [...series.values()].map(({ labels, count }) => ({ labels, value: count.value })),
      })
      return (labels = {}) => {
        const key = Object.values(labels).join('\0')
        const known = series.get(key)
        if (known) return known.count
        const count = { value: 0 }
        series.set(key, { labels, count })
        return count
      }
    },
    render: () => families.map(renderFamily).join(''),
  }
}

function renderFamily({ name, help, type, samples }: Family): string {
  const lines = samples().map(
    ({ suffix = '', labels = {}, value }) => `${name}${suffix}${renderLabels(labels)} ${renderValue(value)}\n`,
  )
  return lines.length === 0 ? '' : `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${lines.join('')}`
}

function renderLabels(labels: Labels): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escape(value)}"`)
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`
}

const escape = (value: string): string =>
  value
    .replaceAll('\\', '\\\\')
    .replaceAll('"', String.raw`\"`)
    .replaceAll('\n', String.raw`\n`)

const renderValue = (value: number): string =>
  value === Infinity ? '+Inf' : value === -Infinity ? '-Inf' : String(value)
