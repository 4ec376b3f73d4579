import { endpoints, paths } from '../paths.ts'

const SIGNED_OUT_PAGES = new Set<string>([
  paths.login,
  paths.register,
  paths.forgotPassword,
  paths.resetPassword,
  paths.setup,
])

/** The pages of the dashboard, with any value for a parameter such as `$userId`. */
const PAGES = Object.values(paths)
  .filter((path) => !SIGNED_OUT_PAGES.has(path))
  .map((path) => (path === '/' ? /^\/$/ : new RegExp(`^${path.replaceAll(/\$\w+/g, '[^/]+')}/?$`)))

/**
 * Where to go after signing in. An address from the query may only lead to a page of ours, to the pending authorization
 * request, or to the sign-in at a site: anything else would make the sign-in page an open redirect.
 */
export function safeReturnTo(requested: string | null, origin = location.origin): string {
  if (!requested || !URL.canParse(requested, origin)) return paths.home
  const url = new URL(requested, origin)
  const isOurs =
    [endpoints.authorize, endpoints.siteSignIn].some((path) => path === url.pathname) ||
    PAGES.some((page) => page.test(url.pathname))
  return url.origin === origin && isOurs ? url.pathname + url.search + url.hash : paths.home
}

/**
 * Browsers keep the fragment of an address over redirects (RFC 9110 section 10.2.2), so that of a site arrives at the sign-in page
 * and would be lost there. An authorization request gets none: its answer is for the application that asked.
 */
export const keepFragment = (target: string, fragment: string): string =>
  target.includes('#') || target.startsWith(endpoints.authorize) ? target : target + fragment
