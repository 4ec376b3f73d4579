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
