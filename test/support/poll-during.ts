/** Calls `read` repeatedly until `work` has settled, and returns the distinct values that it read. */
export async function pollDuring<T>(work: Promise<unknown>, read: () => Promise<T>): Promise<Set<T>> {
  const seen = new Set<T>()
  let state: 'pending' | 'settled' = 'pending'
  const isSettled = () => state === 'settled'
  const settle = () => void (state = 'settled')
  work.then(settle, settle)
  while (!isSettled()) seen.add(await read())
  return seen
}
