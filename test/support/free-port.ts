import { once } from 'node:events'
import { createServer } from 'node:net'

/**
 * Below the ports that the system gives to connections and to servers that ask for any port. One of those could be taken before
 * the program of a test listens on it, or while that program restarts.
 */
const FIRST = 11_000
const COUNT = 21_000

/** Processes that run at the same time have different numbers, so they begin at different ports. */
const COUNT_OF_A_PROCESS = 20
let next = process.pid * COUNT_OF_A_PROCESS

/** A port that no program listens on, and that no other test is soon given. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = FIRST + (next++ % COUNT)
    if (await isFree(port)) return port
  }
}

async function isFree(port: number): Promise<boolean> {
  const probe = createServer().listen(port, '127.0.0.1')
  try {
    await once(probe, 'listening')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EADDRINUSE') return false
    throw error
  }
  probe.close()
  await once(probe, 'close')
  return true
}
