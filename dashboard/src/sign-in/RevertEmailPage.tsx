import { Button, Stack } from '@mantine/core'
import { useState } from 'react'
import { answer, api } from '../api/client.ts'
import { EntranceHeading } from '../entrance/EntranceHeading.tsx'
import { useSubmit } from '../lib/use-submit.ts'
import { useTexts } from '../texts/TextsProvider.tsx'
import { FailureAlert } from '../ui/FailureAlert.tsx'

const token = new URLSearchParams(location.hash.slice(1)).get('token') ?? ''

/** Where somebody whose address was changed by another person restores it. Opening the page changes nothing. */
export default function RevertEmailPage() {
  const texts = useTexts('entrance').revert
  const [done, setDone] = useState(false)
  const { busy, failure, run } = useSubmit(async () => {
    await answer(api.POST('/api/account/email/revert', { body: { token } }))
    setDone(true)
  })
  if (done)
    return (
      <Stack gap="lg" role="status">
        <EntranceHeading title={texts.doneTitle}>{texts.done}</EntranceHeading>
      </Stack>
    )
  return (
    <Stack gap="lg">
      <EntranceHeading title={texts.title}>{token ? texts.text : texts.noToken}</EntranceHeading>
      <FailureAlert failure={failure} />
      {token && (
        <Button size="md" loading={busy} onClick={() => run()}>
          {texts.submit}
        </Button>
      )}
    </Stack>
  )
}
