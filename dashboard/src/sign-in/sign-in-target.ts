import { useEffect, useState } from 'react'
import { answer, api } from '../api/client.ts'
import type { SignInApplication } from '../api/shapes.ts'
import { keepFragment, safeReturnTo } from '../lib/return-to.ts'
import { endpoints } from '../paths.ts'

const query = new URLSearchParams(location.search)

/** Where the person goes after signing in. */
export const returnTo = keepFragment(safeReturnTo(query.get('return_to')), location.hash)

const toApplication = returnTo.startsWith(endpoints.authorize)
const request = toApplication ? new URL(returnTo, location.origin).searchParams : new URLSearchParams()

// OpenID Connect Core 3.1.2.1: the application may know already who is about to sign in.
export const loginHint = request.get('login_hint') ?? ''

/** The query of another sign-in page that leads to the same place. */
export const keptQuery = query.get('return_to') ? `?${new URLSearchParams({ return_to: returnTo })}` : ''

/** The application that somebody signs in to: undefined while it is not known, null if there is none. */
export function useApplication(): SignInApplication | null | undefined {
  const [application, setApplication] = useState<SignInApplication | null | undefined>(toApplication ? undefined : null)
  useEffect(() => {
    if (!toApplication) return
    void answer(api.GET('/oauth/application', { querySerializer: () => request.toString() } as never)).then(
      (found) => setApplication(found as SignInApplication),
      // The request may have expired. Signing in still leads to the server, which says so.
      () => setApplication(null),
    )
  }, [])
  return application
}
