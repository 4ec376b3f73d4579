/**
 * The same tests in two lengths: a short one in `npm test`, which shows that everything works, and the long one of
 * `npm run test:load`, whose figures mean something.
 */
export const isLong = process.env['TEST_LOAD'] === 'long'

export const inForm = <T>(short: T, long: T): T => (isLong ? long : short)
