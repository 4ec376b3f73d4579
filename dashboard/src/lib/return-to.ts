import { endpoints, paths } from '../paths.ts'

const ENTRANCE = new Set<string>([paths.login, paths.register, paths.forgotPassword, paths.resetPassword, paths.setup])
const DASHBOARD = Object.values(paths).filter((path) => !path.includes('$') && !ENTRANCE.has(path))

const leadsInto = (path: string, part: string) => path === part || (part !== '/' && path.startsWith(`${part}/`))

/**
 * Where to go after signing in. An address from the query may only lead to a page of ours or to the pending
 * authorization request: anything else would make the sign-in page an open redirect.
 */
export function safeReturnTo(asked: string | null, origin = location.origin): string {
  if (!asked || !URL.canParse(asked, origin)) return paths.account
  const url = new URL(asked, origin)
  const ours = url.pathname === endpoints.authorize || DASHBOARD.some((part) => leadsInto(url.pathname, part))
  return url.origin === origin && ours ? url.pathname + url.search + url.hash : paths.account
}
