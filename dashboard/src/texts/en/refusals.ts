import type { Refusals } from '../translate-sentence.ts'

/** The server speaks English. */
export const refusals: Refusals = 'as they are'
