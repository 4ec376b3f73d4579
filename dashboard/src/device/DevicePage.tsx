import { Button, Stack } from '@mantine/core'
import { useEffect, useState } from 'react'
import { actAs } from '../api/acting-user.ts'
import { answer, api } from '../api/client.ts'
import { isStatus } from '../api/failure.ts'
import type { DeviceDetails } from '../api/shapes.ts'
import { useFailure } from '../lib/use-failure.ts'
import { deviceWithCode, loginWithReturn, paths } from '../paths.ts'
import { PublicHeading } from '../public-pages/PublicHeading.tsx'
import { useTexts } from '../texts/TextsProvider.tsx'
import { CodeForm } from './CodeForm.tsx'
import { DeviceDecision } from './DeviceDecision.tsx'

type Decided = 'allowed' | 'refused'

/** Lets a device in that has no browser. A link may carry the code, but only a click here decides. */
export default function DevicePage() {
  const texts = useTexts('publicPages').device
  // An object, so that the same code can be asked about again.
  const [asked, ask] = useState({ code: new URLSearchParams(location.search).get('user_code') ?? '' })
  const { code } = asked
  const [details, setDetails] = useState<DeviceDetails>()
  const [failure, fail] = useFailure()
  const [decided, setDecided] = useState<Decided>()

  useEffect(() => {
    if (asked.code === '') return
    void answer(api.GET('/oauth/device/details', { params: { query: { user_code: asked.code } } })).then(
      (found) => {
        actAs(found.user.id)
        setDetails(found)
      },
      (error: unknown) =>
        isStatus(error, 401) ? location.replace(loginWithReturn(deviceWithCode(asked.code))) : fail(error),
    )
  }, [asked, fail])

  if (decided !== undefined) {
    return (
      <Stack gap="lg" role="status">
        <PublicHeading title={decided === 'allowed' ? texts.allowedTitle : texts.refusedTitle}>
          {decided === 'allowed' ? texts.allowed : texts.refused}
        </PublicHeading>
        <Button component="a" href={paths.applications} size="md" variant="default">
          {texts.toApplications}
        </Button>
      </Stack>
    )
  }
  if (details) return <DeviceDecision code={code} details={details} onDecided={setDecided} />
  return (
    <CodeForm
      busy={code !== '' && failure === undefined}
      failure={failure}
      initial={code}
      onSubmit={(typed) => {
        void fail(undefined)
        ask({ code: typed })
      }}
    />
  )
}
