/** No route has more. */
const MAX_SEGMENTS = 12

export interface ByPath<T> {
  add(url: string, value: T): void
  find(url: string): T | undefined
}

/** Finds what was added with the path that is nearest to another one: it shares the most segments with it, and has the fewest others. */
export function nearestByPath<T>(): ByPath<T> {
  const nearest = new Map<string, { value: T; length: number }>()
  return {
    add(url, value) {
      const { length } = url.split('/')
      for (const prefix of prefixesOf(url.replace(/[:*].*$/, ''))) {
        const known = nearest.get(prefix)
        if (!known || length < known.length) nearest.set(prefix, { value, length })
      }
    },
    find: (url) =>
      prefixesOf(url)
        .map((prefix) => nearest.get(prefix))
        .findLast((found) => found !== undefined)?.value,
  }
}

function prefixesOf(path: string): string[] {
  const segments = path.split(/[/?]/, MAX_SEGMENTS)
  return segments.map((_, at) => segments.slice(0, at + 1).join('/')).slice(1)
}
