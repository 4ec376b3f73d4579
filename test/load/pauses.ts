/** A time in which the event loop of a process did not run, in milliseconds since 1970. */
export interface Pause {
  from: number
  to: number
}

/** Shorter ones are the usual delays of a timer. */
const MIN_PAUSE_MS = 5

/** Records the pauses of this process until the returned function is called. */
export function recordPauses(): () => Pause[] {
  const pauses: Pause[] = []
  let last = Date.now()
  const look = () => {
    const now = Date.now()
    if (now - last >= MIN_PAUSE_MS) pauses.push({ from: last, to: now })
    last = now
  }
  const timer = setInterval(look, 1)
  return () => {
    clearInterval(timer)
    look()
    return pauses
  }
}

const lengthOf = ({ from, to }: Pause): number => to - from

export const longest = (pauses: Pause[]): number => largest(pauses.map(lengthOf))

/** The longest of these, without the time in which the other process was paused too. */
export const longestWithout = (pauses: Pause[], others: Pause[]): number =>
  largest(pauses.map((pause) => lengthOf(pause) - sum(others.map((other) => overlap(pause, other)))))

const overlap = (a: Pause, b: Pause): number => Math.max(0, Math.min(a.to, b.to) - Math.max(a.from, b.from))

const sum = (values: number[]): number => values.reduce((total, value) => total + value, 0)

const largest = (values: number[]): number => values.reduce((most, value) => Math.max(most, value), 0)
