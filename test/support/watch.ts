/** Looks again and again until the work is over. Answers all that was seen. */
export async function watch<T>(work: Promise<unknown>, look: () => Promise<T>): Promise<Set<T>> {
  const seen = new Set<T>()
  let state: 'under way' | 'over' = 'under way'
  const isOver = () => state === 'over'
  const end = () => void (state = 'over')
  work.then(end, end)
  while (!isOver()) seen.add(await look())
  return seen
}
