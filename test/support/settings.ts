/** The settings of the service in tests. Apart from app.ts, which loads the whole service. */
export const ORIGIN = 'http://localhost:3000'
export const SECRET_KEY = 'a-secret-key-for-tests-of-32-characters-or-more'
