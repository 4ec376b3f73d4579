/**
 * The same tests run in two lengths: the short form in `npm test` checks correctness, the long form in `npm run test:load`
 * also measures.
 */
export const isLong = process.env['TEST_LOAD'] === 'long'

export const shortOrLong = <T>(short: T, long: T): T => (isLong ? long : short)
