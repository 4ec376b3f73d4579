import { Button, Stack } from '@mantine/core'
import { useState } from 'react'
import { answer, api } from '../api/client.ts'
import { useSubmit } from '../lib/use-submit.ts'
import { PublicHeading } from '../public-pages/PublicFrame.tsx'
import { useTexts } from '../texts/TextsProvider.tsx'
import { FailureAlert } from '../ui/FailureAlert.tsx'

const token = new URLSearchParams(location.hash.slice(1)).get('token') ?? ''

/** Where somebody whose address was changed by another person restores it. Opening the page changes nothing. */
export default function RevertEmailPage() {
  const texts = useTexts('publicPages').revert
  const [done, setDone] = useState(false)
  const { busy, failure, run } = useSubmit(async () => {
    await answer(api.POST('/api/account/email/revert', { body: { token } }))
    setDone(true)
  })
  if (done)
    return (
      <Stack gap="lg" role="status">
        <PublicHeading title={texts.doneTitle}>{texts.done}</PublicHeading>
      </Stack>
    )
  return (
    <Stack gap="lg">
      <PublicHeading title={texts.title}>{token ? texts.text : texts.noToken}</PublicHeading>
      <FailureAlert failure={failure} />
      {token && (
        <Button size="md" loading={busy} onClick={() => run()}>
          {texts.submit}
        </Button>
      )}
    </Stack>
  )
}
