import type { Services } from '../services.ts'
import { sweepExpired } from './sweep-expired.ts'
import type { Job } from './ticker.ts'

const MINUTE = 60_000

/** Everything that happens without being asked for, in one list. */
export const backgroundJobs = (services: Services): Job[] => [
  { name: 'sweep-expired', everyMs: MINUTE, run: () => sweepExpired(services) },
]
