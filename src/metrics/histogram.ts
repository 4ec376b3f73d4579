import type { Labels, Sample } from './registry.ts'

export interface Histogram {
  observe(value: number): void
  count(): number
  samples(labels: Labels): Sample[]
}

/** Counts values by the first bound that is not below them; what is above all of them is in the last place. */
export function createHistogram(bounds: readonly number[]): Histogram {
  const counts = new Float64Array(bounds.length + 1)
  let sum = 0
  let count = 0
  return {
    observe(value) {
      let place = 0
      while (place < bounds.length && value > bounds[place]!) place++
      counts[place] = counts[place]! + 1
      sum += value
      count++
    },
    count: () => count,
    samples(labels) {
      let below = 0
      const buckets = [...bounds, Infinity].map((bound, place) => {
        below += counts[place]!
        const le = bound === Infinity ? '+Inf' : String(bound)
        return { suffix: '_bucket', labels: { ...labels, le }, value: below }
      })
      return [...buckets, { suffix: '_sum', labels, value: sum }, { suffix: '_count', labels, value: count }]
    },
  }
}
