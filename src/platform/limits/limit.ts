import { AppError } from '../../errors.ts'
import { digest } from '../crypto/digest.ts'

/** At most `max` failures in `windowMs` milliseconds. */
export interface Limit {
  name: string
  max: number
  windowMs: number
}

/** The key of a limit as it is stored: keys hold the addresses of people, so it is a digest. */
export const bucketOf = (limit: Limit, key: string): string => digest(`${limit.name}\0${key}`)

export const tooMany = (waitMs: number): AppError => {
  const retryAfter = Math.max(1, Math.ceil(waitMs / 1000))
  const wait = retryAfter < 120 ? `${retryAfter} seconds` : `${Math.ceil(retryAfter / 60)} minutes`
  return new AppError('too_many_requests', `Too many failed attempts. Try again in ${wait}.`, { retryAfter })
}

export const tooManyAtOnce = (): AppError =>
  new AppError('too_many_requests', 'Too many attempts at the same time. Try again in 5 seconds.', { retryAfter: 5 })
