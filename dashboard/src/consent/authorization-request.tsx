import { Skeleton, Stack } from '@mantine/core'
import { useEffect, useState } from 'react'
import { actAs } from '../api/acting-user.ts'
import { answer, api } from '../api/client.ts'
import { isStatus } from '../api/failure.ts'
import type { ConsentDetails } from '../api/shapes.ts'
import { useFailure } from '../lib/use-submit.ts'
import { endpoints, loginWithReturn } from '../paths.ts'
import { PublicHeading } from '../public-pages/PublicFrame.tsx'
import { useTexts } from '../texts/TextsProvider.tsx'
import { FailureAlert } from '../ui/FailureAlert.tsx'

// The page sends the query that it was opened with back unchanged: the server checks the authorization request again.
const query = location.search.slice(1)

/** The address of this page, to come back to. */
export const here = location.pathname + location.search
/** Where the authorization request goes on, with whoever is signed in then. */
export const authorization = `${endpoints.authorize}?${query}`

/** What the request is about. Who is not signed in is sent to the sign-in page, and comes back here. */
export function useRequestDetails(): { details: ConsentDetails | undefined; failure: unknown } {
  const [details, setDetails] = useState<ConsentDetails>()
  const [failure, fail] = useFailure()
  useEffect(() => {
    void answer(api.GET('/oauth/details', { querySerializer: () => query } as never)).then(
      (found) => {
        const asked = found as ConsentDetails
        actAs(asked.user.id)
        setDetails(asked)
      },
      (error: unknown) => (isStatus(error, 401) ? location.replace(loginWithReturn(here)) : fail(error)),
    )
  }, [fail])
  return { details, failure }
}

/** Tells the server what the person decided, and goes where it says. */
export async function decide(approve: boolean): Promise<void> {
  const body = { ...Object.fromEntries(new URLSearchParams(query)), approve }
  const { redirectTo } = await answer(api.POST('/oauth/approve', { body: body as never }))
  location.assign(redirectTo)
}

/** Stands in for a page about an authorization request until that is loaded. */
export function RequestSkeleton() {
  const { loading } = useTexts('shared')
  return (
    <Stack gap="lg" role="status" aria-label={loading}>
      <Skeleton h={28} w="70%" />
      <Skeleton h={14} w="50%" />
      <Skeleton h={64} />
      <Skeleton h={64} />
      <Skeleton h={42} />
    </Stack>
  )
}

export function RequestFailure({ failure }: { failure: unknown }) {
  const texts = useTexts('publicPages').consent
  return (
    <Stack gap="lg">
      <PublicHeading title={texts.failedTitle}>{texts.failedHint}</PublicHeading>
      <FailureAlert failure={failure} />
    </Stack>
  )
}
